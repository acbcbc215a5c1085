import CacheModel

extension FloorTable {
    /// Every floor that covers a key and has risen, from the widest scope to the narrowest.
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
        for index in 0..<(entry?.tagCount ?? 0) {
            guard let id = entry?.tagID(index) else { break }
            let name = id.isShared ? [] : [UInt8](tags.names[id.index])
            found.append(CoveringFloor(.tag(name), tags.floors(id)))
        }
        found.append(CoveringFloor(keyFloor(of: hash)))
        return found.filter(\.isRaised)
    }
}
