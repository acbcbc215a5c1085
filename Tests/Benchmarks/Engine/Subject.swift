import CMeasure
import CacheMemory
import CacheModel

/// A tier with numbered entries.
struct Subject: ~Copyable {
    /// What an entry has beside its key of 24 bytes and its value.
    struct Shape {
        var valueBytes = 100
        var tagCount = 0
        /// Entries that have a tag in common: the tags of entry *n* are the *n / this*-th.
        var entriesPerTag = 1_000_000
        var version = false
        var timeToLive: Duration?
    }

    static let namespace = NamespaceNumber(0)
    var tier: MemoryTier
    let keys = Keys()
    let value: UnsafeMutableRawBufferPointer
    private let tagBytes: UnsafeMutableRawBufferPointer
    var now = Instant(nanoseconds: 1_000_000_000_000)
    private(set) var position: UInt64 = 1

    init(budgetBytes: Int, policy: EvictionPolicyName = .adaptive, longestValue: Int = 100) {
        tier = MemoryTier(
            limits: MemoryTierLimits(residentBytesMax: budgetBytes), policy: policy,
            hashSeed: 0x1234_5678_9ABC_DEF0)
        value = .allocate(byteCount: longestValue, alignment: 16)
        _ = value.initializeMemory(as: UInt8.self, repeating: 7)
        tagBytes = .allocate(byteCount: 16 * 64, alignment: 8)
    }

    deinit {
        value.deallocate()
        tagBytes.deallocate()
    }

    /// Stores entry `number`.
    mutating func store(_ number: Int, _ shape: Shape) {
        let key = keys.make(number)
        var candidate = StoreCandidate(
            hash: tier.hash(namespace: Self.namespace, key: key), namespace: Self.namespace,
            key: key, value: UnsafeRawBufferPointer(rebasing: value[..<shape.valueBytes]),
            fill: FillStamp(epochOrdinal: 1, sequence: SequenceNumber(position)))
        if shape.version { candidate.version = Version(UInt64(number) + 1) }
        candidate.expiresAt = shape.timeToLive.map { now.advanced(by: $0) }
        guard shape.tagCount > 0 else {
            _ = tier.store(candidate, now: now)
            return
        }
        withUnsafeTemporaryAllocation(
            of: UnsafeRawBufferPointer.self, capacity: shape.tagCount
        ) { tags in
            for index in tags.indices { tags[index] = tag(number / shape.entriesPerTag, index) }
            candidate.tags = UnsafeBufferPointer(tags)
            _ = tier.store(candidate, now: now)
        }
    }

    mutating func fill(_ count: Int, _ shape: Shape) {
        for number in 0..<count { store(number, shape) }
    }

    private func tag(_ group: Int, _ index: Int) -> UnsafeRawBufferPointer {
        let start = index * 16
        tagBytes.storeBytes(of: UInt64(group), toByteOffset: start, as: UInt64.self)
        tagBytes.storeBytes(of: UInt64(index), toByteOffset: start + 8, as: UInt64.self)
        return UnsafeRawBufferPointer(rebasing: tagBytes[start..<start + 16])
    }

    mutating func advancePosition() { position += 1 }

    /// Invalidates the entries with that tag.
    mutating func invalidateTag(_ group: Int, index: Int = 0) {
        position += 1
        tier.apply(
            .tag(Self.namespace, tag(group, index)), strength: .hard,
            at: FillStamp(epochOrdinal: 1, sequence: SequenceNumber(position)), now: now)
    }

    /// Looks entries up one by one.
    ///
    /// - Returns: how many were there.
    mutating func get(_ order: [Int32]) -> Int {
        var found = 0
        for number in order {
            let key = keys.make(Int(number))
            let hash = tier.hash(namespace: Self.namespace, key: key)
            if let view = tier.lookup(hash, namespace: Self.namespace, key: key, now: now) {
                found &+= view.value.count == 0 ? 0 : 1
            }
        }
        return found
    }

    /// Looks entries up in batches of 64, as a turn of a shard does. The order's count is a
    /// multiple of 64.
    mutating func getInBatches(_ order: [Int32]) -> Int {
        withUnsafeTemporaryAllocation(of: KeyHash.self, capacity: 64) { hashes in
            var found = 0
            var start = 0
            while start < order.count {
                for place in 0..<64 {
                    let key = keys.make(Int(order[start + place]), place: place)
                    let hash = tier.hash(namespace: Self.namespace, key: key)
                    tier.prefetchBucket(hash)
                    hashes[place] = hash
                }
                for place in 0..<64 { tier.prefetchEntry(hashes[place]) }
                for place in 0..<64 {
                    let view = tier.lookup(
                        hashes[place], namespace: Self.namespace, key: keys.at(place), now: now)
                    if let view { found &+= view.value.count == 0 ? 0 : 1 }
                }
                start += 64
            }
            return found
        }
    }

    /// What a shard's tick does, once.
    mutating func tick() {
        _ = tier.entries.expire(slotLimit: 2_048, now: now)
        _ = tier.sweep(bucketLimit: 256, now: now)
        tier.entries.tidy(limit: 256)
    }

    static func order(_ count: Int, below bound: Int) -> [Int32] {
        var draw = Draw(seed: 99)
        return (0..<count).map { _ in Int32(draw.below(bound)) }
    }
}

/// Nanoseconds of processor time that `body` took on this thread: what it would have taken on a
/// core of its own, as far as others leave the caches alone.
@inline(__always)
func measured(_ body: () -> Void) -> Double {
    let began = measure_thread_nanoseconds()
    body()
    return Double(measure_thread_nanoseconds() - began)
}
