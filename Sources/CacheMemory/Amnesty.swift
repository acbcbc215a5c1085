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

    /// - Parameters:
    ///   - touched: since a position that every entry's shard had reached.
    ///   - namespaces: by number. An entry of any other namespace is not shown again.
    package init(_ touched: TouchedScopes, namespaces: [Namespace]) {
        self.touched = touched
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
        guard number < rooms.count, !rooms[number].isTouched else { return false }
        let room = rooms[number]
        let key = entry.key
        guard !touched.contains(bucket: room.buckets.bucket(ofKey: key)),
            !room.prefixes.contains(where: { key.starts(with: $0) })
        else { return false }
        for index in 0..<entry.tagCount {
            let tag = entry.tagID(index)
            guard !tag.isShared,
                !touched.contains(bucket: room.buckets.bucket(ofTag: tagNames[tag.index]))
            else { return false }
        }
        return true
    }
}
