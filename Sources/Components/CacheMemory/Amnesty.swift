import ByteCoding
package import CacheModel

/// Which quarantined entries may become visible again, because no invalidation touched them while
/// the history was unknown.
package struct Amnesty {
    /// The facts needed about one namespace.
    private struct Room {
        let buckets: FloorBuckets
        let isTouched: Bool
        let prefixes: [[UInt8]]
    }

    private let touched: TouchedScopes
    private let rooms: [Room]
    private let guards: Guards

    /// - Parameters:
    ///   - touched: scopes touched since a position that every entry's shard had reached.
    ///   - namespaces: by number. Entries of other namespaces stay hidden.
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

    /// Whether no invalidation touched the entry.
    ///
    /// - Parameter tagNames: of tags with their own record; a shared one counts as touched.
    /// - Complexity: O(tags + prefixes).
    func covers(_ entry: Entry, tagNames: UnsafePointer<UnsafeRawBufferPointer>) -> Bool {
        guard let room = room(entry.namespace), isUntouched(entry.key, room) else { return false }
        return !guards.isOn(.touchedTags) || areTagsUntouched(entry, room, tagNames)
    }

    /// Whether no invalidation touched an entry stored elsewhere.
    ///
    /// - Complexity: O(tags + prefixes).
    package func covers(
        _ key: UnsafeRawBufferPointer, tags: [UnsafeRawBufferPointer], in number: NamespaceNumber
    ) -> Bool {
        guard let room = room(number), isUntouched(key, room) else { return false }
        return !guards.isOn(.touchedTags)
            || tags.allSatisfy { !touched.contains(bucket: room.buckets.bucket(ofTag: $0)) }
    }

    private func room(_ number: NamespaceNumber) -> Room? {
        let number = Int(number.rawValue)
        return number < rooms.count ? rooms[number] : nil
    }

    private func isUntouched(_ key: UnsafeRawBufferPointer, _ room: Room) -> Bool {
        if room.isTouched, guards.isOn(.touchedNamespaces) { return false }
        if touched.contains(bucket: room.buckets.bucket(ofKey: key)), guards.isOn(.touchedKeys) {
            return false
        }
        return !guards.isOn(.touchedPrefixes)
            || !room.prefixes.contains { key.starts(with: $0) }
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
