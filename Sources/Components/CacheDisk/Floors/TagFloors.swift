import CacheModel

/// Floors of tags, by bucket: two tags of one bucket are hidden together.
///
/// A tag's bucket is the upper part of its fingerprint, computed as for a key: seeded, so that no
/// client can choose tags that share one.
struct TagFloors: Sendable {
    private let hasher: FingerprintHasher
    private let shift: UInt64
    var hard: BucketTable
    var soft: BucketTable

    /// - Parameter count: a power of two.
    init(seed: UInt64, count: Int) {
        hasher = FingerprintHasher(seed: seed)
        shift = Fingerprint.bitCount - UInt64(count.trailingZeroBitCount)
        hard = BucketTable(count: count)
        soft = BucketTable(count: count)
    }

    var isEmpty: Bool { hard.raisedCount == 0 && soft.raisedCount == 0 }

    func bucket(of tag: UnsafeRawBufferPointer, in room: UInt64) -> Int {
        Int(hasher.fingerprint(of: tag, in: room).rawValue >> shift)
    }

    func bucket(of tag: Tag, in namespace: Namespace) -> Int {
        let name = namespace == .default ? [] : Array(namespace.name.utf8)
        let room = name.withUnsafeBytes { hasher.room(of: $0) }
        return tag.bytes.withUnsafeBytes { bucket(of: $0, in: room) }
    }

    /// Calls `body` with the buckets of an entry's tags.
    ///
    /// - Parameter namespace: its name; empty for the default one.
    func forEachBucket(
        of entry: DiskEntry, in namespace: UnsafeRawBufferPointer, _ body: (Int) -> Void
    ) {
        guard !entry.tags.isEmpty else { return }
        let room = hasher.room(of: namespace)
        for tag in entry.tags { body(bucket(of: tag, in: room)) }
    }

    func floors(of bucket: Int) -> FloorPair {
        FloorPair(hard: hard.floor(of: bucket), soft: soft.floor(of: bucket))
    }

    mutating func raise(_ bucket: Int, to floors: FloorPair) {
        hard.raise(bucket, to: floors.hard)
        soft.raise(bucket, to: floors.soft)
    }

    mutating func removeAll() {
        hard.removeAll()
        soft.removeAll()
    }
}
