/// The map from a fingerprint to the address of its newest record, in about nine bytes an entry.
///
/// Its owner is the disk tier of one shard, on that shard's thread. It knows nothing of segments
/// and touches no disk: what is put stays until it is replaced or removed.
///
///     fingerprint ┌ part 10 ┬ h 26 ─────────────────────────┐
///                 └────┬────┴────┬──────────────────────────┘
///                      ▼         └▶ first bucket, second bucket      (PartGeometry)
///     parts       │ pages, count │ × 1 024
///                      └▶ page ─▶ 16 buckets ─▶ 8 slots of 8 bytes   (IndexPages, IndexSlot)
///
/// Two buckets of eight slots each [1]: an entry is in one of them, so a find reads two cache lines
/// of buckets at most; the heads of the parts and their lists of pages, 8 bytes for 128 slots, stay
/// in the processor's caches. Where both are full, an entry makes room by moving to its other
/// bucket, whose entry moves on in turn, and so on.
///
/// A slot and the number of its bucket determine the fingerprint, so fingerprints are matched
/// exactly, and a part can be built anew with any number of buckets out of nothing but itself. That
/// is how each part grows for itself, by about an eighth when it is full. Steps differ by chance
/// from a half to one and a half of that, so parts that are filled evenly do not grow at the same
/// time, and the whole stays between 87 and 98 % full.
///
/// [1] Dietzfelbinger, Weidling: Balanced allocation and dictionaries with tightly packed constant
///     size bins, Theoretical Computer Science 380, 2007.
package struct DiskIndex: ~Copyable {
    /// What the index knows of a record.
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
    /// Bytes of the parts' lists of pages.
    var listBytes = 0
    package internal(set) var count = 0
    /// What ``fetch(_:)`` has read: nobody wants it, but reading for nobody would be left out.
    var fetched: UInt64 = 0
    #if CACHE_CHECKED
        var checkCursor = 0
    #endif

    /// - Parameter seed: the steps in which parts grow, and the ways of entries that make room,
    ///   follow from it. What is found does not.
    package init(seed: UInt64) {
        draw = seed
        parts = .allocate(capacity: Self.partCount)
        parts.initialize(repeating: IndexPart(), count: Self.partCount)
    }

    deinit {
        for part in 0..<Self.partCount { parts[part].clear() }
        parts.deallocate()
    }

    /// All that is allocated, in bytes.
    package var memoryBytes: Int {
        Self.partCount * MemoryLayout<IndexPart>.stride + listBytes + pages.memoryBytes
            + space.memoryBytes
    }

    /// The newest record of a fingerprint.
    ///
    /// - Complexity: O(1), two cache lines of buckets at most.
    package func find(_ fingerprint: Fingerprint) -> Found? {
        guard let spot = spot(of: fingerprint) else { return nil }
        return Found(spot.bucket[spot.slot])
    }

    /// Enters a record as the newest of its fingerprint, not used.
    ///
    /// - Returns: the one before; `nil` if the fingerprint was not there.
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

    /// Takes a fingerprint out.
    ///
    /// - Returns: its record; `nil` if it was not there.
    /// - Complexity: O(1) amortized; a part that is nearly empty becomes smaller.
    package mutating func remove(_ fingerprint: Fingerprint) -> Found? {
        defer { checkInvariants() }
        guard let spot = spot(of: fingerprint) else { return nil }
        let found = Found(spot.bucket[spot.slot])
        clear(spot, in: Self.part(fingerprint))
        return found
    }

    /// Takes a fingerprint out if its newest record is the one at `address`.
    ///
    /// - Returns: its record; `nil` if it was not there.
    /// - Complexity: as ``remove(_:)``.
    package mutating func remove(
        _ fingerprint: Fingerprint, at address: RecordAddress
    ) -> Found? {
        defer { checkInvariants() }
        guard let spot = spot(of: fingerprint, at: address) else { return nil }
        let found = Found(spot.bucket[spot.slot])
        clear(spot, in: Self.part(fingerprint))
        return found
    }

    /// Notes that the record at `address` was asked for, if it is still the newest of its
    /// fingerprint.
    package mutating func markUsed(_ fingerprint: Fingerprint, at address: RecordAddress) {
        guard let spot = spot(of: fingerprint, at: address) else { return }
        spot.bucket[spot.slot] = spot.bucket[spot.slot].used
    }

    /// Takes everything out and gives its memory back.
    ///
    /// - Complexity: O(memory), without touching it.
    package mutating func removeAll() {
        for part in 0..<Self.partCount { parts[part].clear() }
        pages.removeAll()
        space.removeAll()
        listBytes = 0
        count = 0
        checkInvariants()
    }

    /// Calls `body` with every fingerprint once: by part, which are its upper ten bits, and within
    /// a part in no order.
    ///
    /// - Complexity: O(memory).
    package func forEach(_ body: (Fingerprint, Found) -> Void) {
        for part in 0..<Self.partCount {
            forEachEntry(of: part) { body(Self.fingerprint(part, $0.hash), Found($0.slot)) }
        }
    }
}
