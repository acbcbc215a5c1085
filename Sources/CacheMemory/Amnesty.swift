import ByteCoding
package import CacheModel

/// Which entries of a quarantine may be shown again, because nothing has touched them while nobody
/// could tell.
package struct Amnesty {
    /// What has to be known of one namespace.
    private struct Room {
        let buckets: FloorBuckets
        let isTouched: Bool
        let prefixes: [[UInt8]]
    }

    private let touched: TouchedScopes
    private let rooms: [Room]
    private let guards: Guards

    /// - Parameters:
    ///   - touched: since a position that every entry's shard had reached.
    ///   - namespaces: by number. An entry of any other namespace is not shown again.
    package init(
        _ touched: TouchedScopes, namespaces: [Namespace], guards: Guards = .all
    ) {
        self.touched = touched
        self.guards = guards
        rooms = namespaces.map { namespace in
            var name = namespace.name
            return Room(
                buckets: name.withUTF8 { FloorBuckets(namespace: UnsafeRawBufferPointer($0)) },
                isTouched: touched.isEverything || touched.namespaces.contains(namespace),
                prefixes: touched.prefixes[namespace] ?? [])
        }
    }

    /// Whether nothing has touched the entry.
    ///
    /// - Parameter tagNames: of tags that have names of their own; a shared one counts as touched.
    /// - Complexity: O(tags + prefixes).
    func covers(_ entry: Entry, tagNames: UnsafePointer<UnsafeRawBufferPointer>) -> Bool {
        let number = Int(entry.namespace.rawValue)
        guard number < rooms.count else { return false }
        let room = rooms[number]
        let key = entry.key
        if room.isTouched, guards.isOn(.touchedNamespaces) { return false }
        if touched.contains(bucket: room.buckets.bucket(ofKey: key)), guards.isOn(.touchedKeys) {
            return false
        }
        if room.prefixes.contains(where: { key.starts(with: $0) }),
            guards.isOn(.touchedPrefixes)
        {
            return false
        }
        return !guards.isOn(.touchedTags) || areTagsUntouched(entry, room, tagNames)
    }

    private func areTagsUntouched(
        _ entry: Entry, _ room: Room, _ tagNames: UnsafePointer<UnsafeRawBufferPointer>
    ) -> Bool {
        for index in 0..<entry.tagCount {
            let tag = entry.tagID(index)
            guard !tag.isShared,
                !touched.contains(bucket: room.buckets.bucket(ofTag: tagNames[tag.index]))
            else { return false }
        }
        return true
    }
}
