/// Maps a fingerprint to the address of its newest record, in about nine bytes per entry.
///
/// Owned by the disk tier of one shard, on that shard's thread. It knows no segments and does no
/// I/O: an entry stays until it is replaced or removed.
///
///     fingerprint ┌ part 10 ┬ h 26 ─────────────────────────┐
///                 └────┬────┴────┬──────────────────────────┘
///                      ▼         └▶ first bucket, second bucket      (PartGeometry)
///     parts       │ pages, count │ × 1 024
///                      └▶ page ─▶ 16 buckets ─▶ 8 slots of 8 bytes   (IndexPages, IndexSlot)
///
/// Two buckets of eight slots each [1]: an entry is in one of them, so a lookup reads at most two
/// cache lines of buckets; the heads of the parts and their page lists, 8 bytes per 128 slots, stay
/// in the processor's caches. If both are full, an entry of one moves to its other bucket, an entry
/// of that bucket moves on in turn, and so on.
///
/// A slot and the number of its bucket determine the fingerprint, so fingerprints are matched
/// exactly, and a part can be rebuilt with any number of buckets from its own content. So each part
/// grows by itself, by about an eighth when it is full. Steps vary at random from a half to one and
/// a half of that, so evenly filled parts do not grow at the same time, and the whole stays between
/// 87 and 98 % full.
///
/// [1] Dietzfelbinger, Weidling: Balanced allocation and dictionaries with tightly packed constant
///     size bins, Theoretical Computer Science 380, 2007.
package struct DiskIndex: ~Copyable {
    /// The index's facts about a record.
    package struct Found: Equatable, Sendable {
        package let address: RecordAddress
        package let lengthClass: LengthClass
        /// Whether it was marked since it was put.
        package let isUsed: Bool

        @inline(__always)
        init(_ slot: IndexSlot) {
            (address, lengthClass, isUsed) = (slot.address, slot.lengthClass, slot.isUsed)
        }
    }

    static let partCount = 1 << (Fingerprint.bitCount - PartGeometry.hashBits)

    let parts: UnsafeMutablePointer<IndexPart>
    var pages = IndexPages()
    var space = RebuildSpace()
    var draw: UInt64
    /// Bytes of the parts' page lists.
    var listBytes = 0
    package internal(set) var count = 0
    /// The result of ``fetch(_:)``: unused, but it keeps the compiler from removing the reads.
    var fetched: UInt64 = 0
    #if CACHE_CHECKED
        var checkCursor = 0
    #endif

    /// - Parameter seed: determines growth steps and the moves of entries, not the results of
    ///   lookups.
    package init(seed: UInt64) {
        draw = seed
        parts = .allocate(capacity: Self.partCount)
        parts.initialize(repeating: IndexPart(), count: Self.partCount)
    }

    deinit {
        for part in 0..<Self.partCount { parts[part].clear() }
        parts.deallocate()
    }

    /// All allocated bytes.
    package var memoryBytes: Int {
        Self.partCount * MemoryLayout<IndexPart>.stride + listBytes + pages.memoryBytes
            + space.memoryBytes
    }

    /// The newest record of a fingerprint.
    ///
    /// - Complexity: O(1), at most two cache lines of buckets.
    package func find(_ fingerprint: Fingerprint) -> Found? {
        guard let spot = spot(of: fingerprint) else { return nil }
        return Found(spot.bucket[spot.slot])
    }

    /// Inserts a record as the newest of its fingerprint, marked as not used.
    ///
    /// - Returns: the previous one; `nil` if the fingerprint is new.
    /// - Complexity: O(1) amortized. A put that makes its part grow moves the part's entries, a
    ///   thousandth of all.
    package mutating func put(
        _ fingerprint: Fingerprint, at address: RecordAddress, _ lengthClass: LengthClass
    ) -> Found? {
        defer { checkInvariants() }
        let slot = IndexSlot(fingerprintLow: Self.low(fingerprint), address, lengthClass)
        if let spot = spot(of: fingerprint) {
            let old = spot.bucket[spot.slot]
            spot.bucket[spot.slot] = slot.moved(toSecond: old.isSecond)
            return Found(old)
        }
        insert(Entry(hash: Self.hash(fingerprint), slot: slot), in: Self.part(fingerprint))
        return nil
    }

    /// Removes a fingerprint, if its newest record is the one at `address`.
    ///
    /// - Parameter address: `nil`: wherever its record is.
    /// - Returns: its record; `nil` if it was not there.
    /// - Complexity: O(1) amortized; a nearly empty part shrinks.
    package mutating func remove(
        _ fingerprint: Fingerprint, at address: RecordAddress? = nil
    ) -> Found? {
        defer { checkInvariants() }
        guard let spot = spot(of: fingerprint) else { return nil }
        let found = Found(spot.bucket[spot.slot])
        guard address == nil || found.address == address else { return nil }
        clear(spot, in: Self.part(fingerprint))
        return found
    }

    /// Marks the record at `address` as used, if it is still the newest of its fingerprint.
    package mutating func markUsed(_ fingerprint: Fingerprint, at address: RecordAddress) {
        guard let spot = spot(of: fingerprint, at: address) else { return }
        spot.bucket[spot.slot] = spot.bucket[spot.slot].used
    }

    /// Removes all entries and frees the memory.
    ///
    /// - Complexity: O(memory), without reading it.
    package mutating func removeAll() {
        for part in 0..<Self.partCount { parts[part].clear() }
        pages.removeAll()
        space.removeAll()
        listBytes = 0
        count = 0
        checkInvariants()
    }

    /// Calls `body` with every fingerprint once: ordered by part, the upper ten bits; unordered
    /// within a part.
    ///
    /// - Complexity: O(memory).
    package func forEach(_ body: (Fingerprint, Found) -> Void) {
        for part in 0..<Self.partCount {
            forEachEntry(of: part) { body(Self.fingerprint(part, $0.hash), Found($0.slot)) }
        }
    }
}
