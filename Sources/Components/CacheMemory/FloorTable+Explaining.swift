import CacheModel

extension FloorTable {
    /// Every raised floor that covers a key, from the widest scope to the narrowest.
    func covering(
        _ hash: KeyHash, _ key: UnsafeRawBufferPointer, in namespace: NamespaceNumber,
        _ entry: Entry?
    ) -> [CoveringFloor] {
        var found = [
            CoveringFloor(history: quarantine.stamp), CoveringFloor(.everything, everything),
            CoveringFloor(.namespace, floors(of: namespace)),
        ]
        prefixes.forEach(over: key, in: namespace) { prefix, floors in
            found.append(CoveringFloor(.prefix([UInt8](prefix)), floors))
        }
        paced(key, in: namespace, entry, into: &found)
        for index in 0..<(entry?.tagCount ?? 0) {
            guard let id = entry?.tagID(index) else { break }
            let name = id.isShared ? [] : [UInt8](tags.names[id.index])
            found.append(CoveringFloor(.tag(name), tags.floors(id)))
        }
        found.append(CoveringFloor(keyFloor(of: hash)))
        return found.filter(\.isRaised)
    }

    /// The floors of paced scopes over the key's range.
    private func paced(
        _ key: UnsafeRawBufferPointer, in namespace: NamespaceNumber, _ entry: Entry?,
        into found: inout [CoveringFloor]
    ) {
        func add(_ cover: PacedFloors.Cover, _ floors: ScopeFloors) {
            switch cover {
            case .everything: found.append(CoveringFloor(.everything, floors))
            case .namespace: found.append(CoveringFloor(.namespace, floors))
            case .prefix(let prefix, _): found.append(CoveringFloor(.prefix(prefix), floors))
            case .tag(let hash, let namespace):
                let name = tags.name(hash, in: namespace).map { [UInt8]($0) } ?? []
                found.append(CoveringFloor(.tag(name), floors))
            }
        }
        if let entry {
            paced.forEach(over: entry, tags, add)
        } else {
            paced.forEach(over: key, in: namespace, add) { _ in false }
        }
    }
}
