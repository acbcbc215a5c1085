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

/// Counts of the entries that each scope covers.
extension FloorTable {
    /// Counts a new entry; its tags are retained.
    mutating func entryCame(_ entry: Entry, bytes: Int) {
        let fill = entry.fill
        tallies.add(fill, entry.namespace, bytes: bytes)
        for tag in 0..<entry.tagCount { tags.count(entry.tagID(tag), fill, bytes: bytes) }
    }

    /// Counts a removed entry; its tags are released.
    mutating func entryLeft(_ entry: Entry, bytes: Int) {
        let fill = entry.fill
        tallies.subtract(fill, entry.namespace, bytes: bytes)
        for tag in 0..<entry.tagCount { tags.release(entry.tagID(tag), fill, bytes: bytes) }
    }

    /// The entries that a new invalidation of everything would hide.
    ///
    /// - Complexity: O(namespaces).
    var countOfEverything: ScopeCount { tallies.everything(under: everything.hard) }

    /// The same for a namespace. Entries hidden by everything's floor are not counted either.
    func count(of namespace: NamespaceNumber) -> ScopeCount {
        ScopeCount(tallies.tally(of: namespace), under: floors(of: namespace).hard)
    }

    func count(of tag: UnsafeRawBufferPointer, in namespace: NamespaceNumber) -> ScopeCount {
        tags.count(of: name(tag, namespace))
    }
}
