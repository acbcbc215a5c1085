import CMemory

/// The map from key to entry: buckets of one cache line, their number adapted to the entries.
///
///     bucket   ┌ 12 tags of 1 B ┬ overflow 4 B ┬ 12 references of 4 B ─────────────────┐
///              └────────────────┴──────┬───────┴───────────────────────────────────────┘
///                                      └─▶ number of another bucket, or 0
///
/// Linear hashing [1]: the low bits of a hash choose the home bucket, and an insert above the
/// maximum load splits one bucket in two. So it grows by 64 bytes at a time, without pauses or
/// doubling. An entry is always in its home bucket's chain. A tag is the hash's top byte; a zero
/// reference marks an empty slot, and its tag is meaningless.
///
/// In the order of bit-reversed hashes the halves of a split are neighbours, so a cursor in that
/// order stays valid while the index grows.
///
/// [1] Litwin, Linear hashing: a new tool for file and table addressing, VLDB 1980.
struct EntryIndex: ~Copyable {
    static let slotsPerBucket = 12
    static let bucketBytes = 64
    /// Average used slots per bucket above which a bucket is split.
    static let loadMaxPerBucket = 9
    /// Average below which the last split is undone.
    static let loadMinPerBucket = 3
    private static let bitsMin = 6
    /// Maximum memory added by one insert: a bucket and two overflows.
    static let growthBytesMax = 3 * bucketBytes

    let space: EntrySpace
    private let hasher: EntryHasher
    private var main: BucketRange
    private var overflow: BucketRange
    /// The first 2^bits buckets are complete levels …
    private(set) var bits = EntryIndex.bitsMin
    /// … and so many of them have been split.
    private(set) var splitCount = 0
    private(set) var count = 0

    /// - Parameter entriesMax: the approximate maximum.
    init(space: EntrySpace, hasher: EntryHasher, entriesMax: Int) {
        self.space = space
        self.hasher = hasher
        // Twice the need of an even load: addresses cost nothing.
        let bucketsMax = max(2 * entriesMax / Self.loadMinPerBucket, 1_024)
        main = BucketRange(bucketsMax: bucketsMax)
        overflow = BucketRange(bucketsMax: bucketsMax)
        for _ in 0..<(1 << bits) { _ = main.append() }
        // Number zero means "no overflow".
        _ = overflow.append()
    }

    var bucketCount: Int { 1 << bits + splitCount }
    var memoryBytes: Int { (main.count + overflow.count) * Self.bucketBytes }
    var overflowCount: Int { overflow.count - 1 - overflow.freeCount }

    @inline(__always)
    func home(_ hash: KeyHash) -> Bucket {
        main.bucket(homeNumber(hash))
    }

    @inline(__always)
    func homeNumber(_ hash: KeyHash) -> Int {
        let mask: UInt64 = 1 &<< UInt64(bits) &- 1
        let number = Int(truncatingIfNeeded: hash.rawValue & mask)
        guard number < splitCount else { return number }
        return Int(truncatingIfNeeded: hash.rawValue & (mask &<< 1 | 1))
    }

    func hash(of entry: Entry) -> KeyHash { hasher.hash(entry) }

    /// The bucket after `bucket` in its chain.
    @inline(__always)
    func next(_ bucket: Bucket) -> Bucket? {
        let number = bucket.overflow
        return number == 0 ? nil : overflow.bucket(Int(number))
    }

    /// The entry of exactly this key, visible or not.
    @inline(__always)
    func find(
        _ hash: KeyHash, namespace: NamespaceNumber, key: UnsafeRawBufferPointer
    ) -> Entry? {
        var bucket = home(hash)
        while true {
            var matches = bucket.matches(hash)
            while let slot = matches.next() {
                let reference = bucket[slot]
                guard !reference.isNone else { continue }
                let entry = space.entry(reference)
                if isEntry(entry, namespace, key) { return entry }
            }
            guard let next = next(bucket) else { return nil }
            bucket = next
        }
    }

    @inline(__always)
    private func isEntry(
        _ entry: Entry, _ namespace: NamespaceNumber, _ key: UnsafeRawBufferPointer
    ) -> Bool {
        entry.keyBytes == key.count && Bytes.areEqual(entry.key, key)
            && entry.namespace == namespace
    }

    @inline(__always)
    func prefetchBucket(_ hash: KeyHash) {
        cache_prefetch(home(hash).base)
    }

    /// Prefetches the lines of the likeliest entry, if it is small.
    @inline(__always)
    func prefetchEntry(_ hash: KeyHash) {
        let bucket = home(hash)
        var matches = bucket.matches(hash)
        guard let slot = matches.next() else { return }
        let reference = bucket[slot]
        guard !reference.isNone else { return }
        let start = UnsafeRawPointer(space.entry(reference).base)
        // Entries start anywhere in a line, so four lines cover at least 192 bytes. The hardware
        // prefetches the rest of a larger one.
        cache_prefetch(start)
        cache_prefetch(start + 64)
        cache_prefetch(start + 128)
        cache_prefetch(start + 191)
    }
}

// MARK: - Changing

extension EntryIndex {
    /// Inserts an entry with a new key; splits a bucket above the maximum load.
    mutating func insert(_ entry: Entry, _ hash: KeyHash) {
        if count >= Self.loadMaxPerBucket * bucketCount { split() }
        place(space.reference(entry), hash, from: home(hash))
        count += 1
    }

    /// Removes an entry; joins two buckets below the minimum load.
    mutating func remove(_ entry: Entry) {
        let hash = hash(of: entry)
        let (bucket, slot) = slot(of: space.reference(entry), hash)
        bucket[slot] = .none
        count -= 1
        if bits > Self.bitsMin || splitCount > 0,
            count < Self.loadMinPerBucket * bucketCount
        {
            join()
        }
    }

    /// Updates the reference of an entry that was moved, or replaced by one of the same key.
    func replace(_ old: Entry, with new: Entry) {
        let (bucket, slot) = slot(of: space.reference(old), hash(of: old))
        bucket[slot] = space.reference(new)
    }

    private func slot(of reference: EntryReference, _ hash: KeyHash) -> (Bucket, Int) {
        var link: Bucket? = home(hash)
        while let bucket = link {
            var matches = bucket.matches(hash)
            while let slot = matches.next() {
                guard bucket[slot] == reference else { continue }
                return (bucket, slot)
            }
            link = next(bucket)
        }
        preconditionFailure("a resident entry is in the chain of its home bucket")
    }

    /// Writes the reference into the first free slot of a chain, which grows if there is none.
    private mutating func place(_ reference: EntryReference, _ hash: KeyHash, from: Bucket) {
        var bucket = from
        while true {
            if let slot = bucket.firstFree {
                bucket.set(slot, reference, hash)
                return
            }
            if let next = next(bucket) {
                bucket = next
                continue
            }
            let number = overflow.append()
            bucket.overflow = UInt32(number)
            overflow.bucket(number).set(0, reference, hash)
            return
        }
    }

    /// Splits the next bucket of this level: entries with the level's bit set move to a new one.
    private mutating func split() {
        let number = splitCount
        let moving = takeChain(of: main.bucket(number))
        _ = main.append()
        splitCount += 1
        if splitCount == 1 << bits {
            bits += 1
            splitCount = 0
        }
        for (reference, hash) in moving { place(reference, hash, from: home(hash)) }
    }

    /// The inverse of ``split()``.
    private mutating func join() {
        if splitCount == 0 {
            bits -= 1
            splitCount = 1 << bits
        }
        splitCount -= 1
        let moving = takeChain(of: main.bucket(main.count - 1))
        main.removeLast()
        for (reference, hash) in moving { place(reference, hash, from: home(hash)) }
    }

    /// Removes the entries and overflow buckets of a chain.
    private mutating func takeChain(of bucket: Bucket) -> [(EntryReference, KeyHash)] {
        var taken: [EntryReference] = []
        forEach(in: bucket) { reference in
            cache_prefetch(space.entry(reference).base)
            taken.append(reference)
        }
        var link = bucket.overflow
        bucket.clear()
        while link != 0 {
            let following = overflow.bucket(Int(link)).overflow
            overflow.free(Int(link))
            link = following
        }
        return taken.map { ($0, hash(of: space.entry($0))) }
    }

    /// Calls `body` with every reference of a chain.
    func forEach(in bucket: Bucket, _ body: (EntryReference) -> Void) {
        var link: Bucket? = bucket
        while let current = link {
            for slot in 0..<Self.slotsPerBucket where !current[slot].isNone {
                body(current[slot])
            }
            link = next(current)
        }
    }

    /// Removes unneeded overflow buckets of one home bucket's chain.
    mutating func tidy(_ number: Int) {
        let bucket = main.bucket(number)
        guard bucket.overflow != 0 else { return }
        for (reference, hash) in takeChain(of: bucket) { place(reference, hash, from: bucket) }
    }

    /// Prefetches the heads of one home bucket's entries, without its overflow.
    func warm(_ number: Int) {
        let bucket = main.bucket(number)
        for slot in 0..<Self.slotsPerBucket where !bucket[slot].isNone {
            cache_prefetch(space.entry(bucket[slot]).base)
        }
    }

    /// Appends all entries of one home bucket's chain to `entries`, and prefetches their heads.
    func collect(_ number: Int, into entries: inout [Entry]) {
        forEach(in: main.bucket(number)) { reference in
            let entry = space.entry(reference)
            cache_prefetch(entry.base)
            entries.append(entry)
        }
    }
}

// MARK: - Cursors

extension EntryIndex {
    /// The home bucket at a cursor: a position in the order of bit-reversed hashes.
    func homeNumber(at cursor: UInt64) -> Int { homeNumber(KeyHash(Self.reversed(cursor))) }

    /// The cursor of the bucket after the one at `cursor`; `nil` after the last.
    func cursor(after cursor: UInt64) -> UInt64? {
        let mask: UInt64 = 1 << UInt64(bits) - 1
        let isSplit = Int(Self.reversed(cursor) & mask) < splitCount
        let width = UInt64(64 - bits - (isSplit ? 1 : 0))
        let (next, isOver) = ((cursor >> width) << width).addingReportingOverflow(1 << width)
        return isOver ? nil : next
    }

    func isBefore(_ entry: Entry, cursor: UInt64) -> Bool {
        cursor != 0 && Self.position(of: hash(of: entry)) < cursor
    }

    /// Position of a hash in the cursor's order.
    static func position(of hash: KeyHash) -> UInt64 { reversed(hash.rawValue) }

    private static func reversed(_ word: UInt64) -> UInt64 {
        var word = word.byteSwapped
        word = word >> 4 & 0x0F0F_0F0F_0F0F_0F0F | (word & 0x0F0F_0F0F_0F0F_0F0F) << 4
        word = word >> 2 & 0x3333_3333_3333_3333 | (word & 0x3333_3333_3333_3333) << 2
        return word >> 1 & 0x5555_5555_5555_5555 | (word & 0x5555_5555_5555_5555) << 1
    }
}
