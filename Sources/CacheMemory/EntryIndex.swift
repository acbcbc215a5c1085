import CPrefetch

/// The map from key to entry: an array of 64-byte buckets, one cache line each.
///
///     bucket   ┌ slot 0 ┬ slot 1 ┬ … ┬ slot 6 ┬ overflow ┐
///              └────────┴────────┴───┴────────┴────┬─────┘
///     slot     tag (16) │ address of the block (48)└─▶ another bucket, or 0
///
/// The top bits of the hash choose the home bucket, so buckets stand in the order of hashes and
/// doubling splits each into two neighbours: a cursor that is a hash stays good through growth.
/// An entry is always in its home bucket's chain. Empty slots are zero.
struct EntryIndex: ~Copyable {
    static let slotsPerBucket = 7
    static let wordsPerBucket = 8
    static let bucketBytes = 64
    /// Slots of a bucket that may be taken on average before the array doubles: four fifths.
    static let loadMaxPerBucket = 5.6

    var buckets: UnsafeMutablePointer<UInt64>
    /// The array has 2^bits buckets.
    var bits: Int
    private(set) var count = 0
    /// Overflow buckets in use.
    var overflowCount = 0

    init(bits: Int = 6) {
        self.bits = bits
        buckets = Self.allocateBuckets(1 << bits)
    }

    deinit {
        for home in 0..<bucketCount {
            _ = Self.freeOverflow(of: buckets + home * Self.wordsPerBucket)
        }
        buckets.deallocate()
    }

    var bucketCount: Int { 1 << bits }

    static func allocateBuckets(_ count: Int) -> UnsafeMutablePointer<UInt64> {
        let raw = UnsafeMutableRawPointer.allocate(
            byteCount: count * bucketBytes, alignment: bucketBytes)
        return raw.initializeMemory(
            as: UInt64.self, repeating: 0, count: count * wordsPerBucket)
    }

    @inline(__always)
    func home(_ hash: KeyHash) -> UnsafeMutablePointer<UInt64> {
        let index = Int(truncatingIfNeeded: hash.rawValue &>> UInt64(64 &- bits))
        return buckets + index &* Self.wordsPerBucket
    }

    /// The bucket after `bucket` in its chain.
    @inline(__always)
    static func next(
        _ bucket: UnsafeMutablePointer<UInt64>
    ) -> UnsafeMutablePointer<UInt64>? {
        UnsafeMutablePointer(bitPattern: UInt(bucket[slotsPerBucket]))
    }

    /// The slots of `bucket` whose tag is that of `hash`, as bits; without a branch, because no
    /// one can guess in which slot a key is. Empty slots match the tag zero.
    @inline(__always)
    private static func matches(
        _ bucket: UnsafeMutablePointer<UInt64>, _ hash: KeyHash
    ) -> UInt32 {
        let tag = hash.rawValue & 0xFFFF
        var matches: UInt32 = 0
        for slot in 0..<slotsPerBucket {
            let isMatch: UInt32 = bucket[slot] &>> 48 == tag ? 1 : 0
            matches |= isMatch &<< UInt32(truncatingIfNeeded: slot)
        }
        return matches
    }

    @inline(__always)
    static func entry(in slot: UInt64) -> Entry? { Entry(word: slot & (1 << 48 - 1)) }

    /// The entry of exactly this key, visible or not.
    @inline(__always)
    func find(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer
    ) -> Entry? {
        var bucket = home(hash)
        while true {
            var matches = Self.matches(bucket, hash)
            while matches != 0 {
                let slot = matches.trailingZeroBitCount
                matches &= matches &- 1
                guard let entry = Self.entry(in: bucket[slot]) else { continue }
                // The key lies on the line after the one that is about to be read.
                cache_prefetch(UnsafeRawPointer(entry.head) + EntryHead.bytes)
                if isEntry(entry, hash, namespace, key) { return entry }
            }
            guard let next = Self.next(bucket) else { return nil }
            bucket = next
        }
    }

    @inline(__always)
    private func isEntry(
        _ entry: Entry, _ hash: KeyHash, _ namespace: NamespaceNumber,
        _ key: UnsafeRawBufferPointer
    ) -> Bool {
        entry.head.pointee.hash == hash && entry.head.pointee.namespace == namespace
            && Self.areEqual(entry.key, key)
    }

    func prefetchBucket(_ hash: KeyHash) {
        cache_prefetch(home(hash))
    }

    /// Warms the two lines in which the head and a short key of the likeliest entry lie.
    @inline(__always)
    func prefetchEntry(_ hash: KeyHash) {
        let bucket = home(hash)
        let matches = Self.matches(bucket, hash)
        guard matches != 0,
            let entry = Self.entry(in: bucket[matches.trailingZeroBitCount])
        else { return }
        cache_prefetch(entry.head)
        cache_prefetch(UnsafeRawPointer(entry.head) + EntryHead.bytes)
        // A small value: blocks begin anywhere in a line, so four lines hold 192 bytes for sure. Of
        // a larger one the hardware fetches what follows.
        cache_prefetch(UnsafeRawPointer(entry.head) + 2 * EntryHead.bytes)
        cache_prefetch(UnsafeRawPointer(entry.head) + (3 * EntryHead.bytes - 1))
    }

    /// Eight bytes at a time, the last eight overlapping.
    @inline(__always)
    static func areEqual(_ lhs: UnsafeRawBufferPointer, _ rhs: UnsafeRawBufferPointer) -> Bool {
        let count = lhs.count
        guard count == rhs.count, let left = lhs.baseAddress, let right = rhs.baseAddress else {
            return false
        }
        if count < 8 {
            for offset in 0..<count {
                let same =
                    left.load(fromByteOffset: offset, as: UInt8.self)
                    == right.load(fromByteOffset: offset, as: UInt8.self)
                if !same { return false }
            }
            return true
        }
        var offset = 0
        while offset &+ 8 < count {
            if !areWordsEqual(left, right, at: offset) { return false }
            offset &+= 8
        }
        return areWordsEqual(left, right, at: count &- 8)
    }

    @inline(__always)
    private static func areWordsEqual(
        _ left: UnsafeRawPointer, _ right: UnsafeRawPointer, at offset: Int
    ) -> Bool {
        left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}

// MARK: - Changing

extension EntryIndex {
    /// Puts an entry in whose key is not there yet; doubles the array first if it is too full.
    mutating func insert(_ entry: Entry) {
        precondition(entry.word >> 48 == 0, "a slot keeps an address in 48 bits")
        if Double(count + 1) > Self.loadMaxPerBucket * Double(bucketCount) { grow() }
        place(entry)
        count += 1
    }

    /// Writes the entry into the first free slot of its chain, which grows by a bucket if need be.
    mutating func place(_ entry: Entry) {
        let hash = entry.head.pointee.hash
        let slotWord = hash.rawValue << 48 | entry.word
        var bucket = home(hash)
        while true {
            for slot in 0..<Self.slotsPerBucket where bucket[slot] == 0 {
                bucket[slot] = slotWord
                return
            }
            if let next = Self.next(bucket) {
                bucket = next
                continue
            }
            let fresh = Self.allocateBuckets(1)
            overflowCount += 1
            bucket[Self.slotsPerBucket] = UInt64(UInt(bitPattern: fresh))
            fresh[0] = slotWord
            return
        }
    }

    /// Puts `new`, of the same key, where `old` is.
    mutating func replace(_ old: Entry, with new: Entry) {
        precondition(new.word >> 48 == 0, "a slot keeps an address in 48 bits")
        slot(of: old).pointee = new.head.pointee.hash.rawValue << 48 | new.word
    }

    /// Empties the entry's slot. The chain keeps its buckets until ``tidy(home:)`` or growth.
    mutating func remove(_ entry: Entry) {
        slot(of: entry).pointee = 0
        count -= 1
    }

    private func slot(of entry: Entry) -> UnsafeMutablePointer<UInt64> {
        var bucket: UnsafeMutablePointer<UInt64>? = home(entry.head.pointee.hash)
        while let current = bucket {
            for slot in 0..<Self.slotsPerBucket
            where current[slot] & (1 << 48 - 1) == entry.word {
                return current + slot
            }
            bucket = Self.next(current)
        }
        preconditionFailure("a resident entry is in the chain of its home bucket")
    }

    /// Appends every entry of one home bucket's chain to `entries`, and warms their heads.
    func collect(home index: Int, into entries: inout [Entry]) {
        var bucket: UnsafeMutablePointer<UInt64>? = buckets + index * Self.wordsPerBucket
        while let current = bucket {
            for slot in 0..<Self.slotsPerBucket {
                guard let entry = Self.entry(in: current[slot]) else { continue }
                cache_prefetch(entry.head)
                entries.append(entry)
            }
            bucket = Self.next(current)
        }
    }
}
