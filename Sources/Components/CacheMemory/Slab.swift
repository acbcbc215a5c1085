/// A run of slots of one size, and a bit set of those in use.
///
///     ├ slot ┼ slot ┼ … ┼ slot ┼─ never touched ─┤
///                              ▲ carved
///
/// A slab does not depend on entries. Its slots are numbered from zero; those from `carved` on have
/// not been in use since the slab's memory was last released.
struct Slab {
    static let unused = UInt8.max

    /// ``unused``, or its class.
    var sizeClass = Slab.unused
    var usedCount: UInt32 = 0
    /// Slots below it have been in use.
    var carvedCount: UInt32 = 0
    var slotCount: UInt32 = 0
    /// Words of `bits` before it have no zero below `carvedCount`.
    private var hint = 0
    /// One bit for each slot: in use.
    private(set) var bits: UnsafeMutablePointer<UInt64>?
    /// Its index in the list of slabs of its class with a free slot; −1 if it is not in it.
    var partialPlace: Int32 = -1
    /// A lower bound of the ends of its entries.
    var earliestEnd = EntryEnd.neverTick
    /// Its note's spoke in the ``SlabWheel``; ``SlabWheel/nowhere`` if it has none.
    var notedAt = SlabWheel.nowhere
    /// The earliest tick of its next walk.
    var restsUntil: UInt64 = 0

    var isUsed: Bool { sizeClass != Self.unused }
    var hasFreeSlot: Bool { usedCount < slotCount }
    /// Free slots that were touched.
    var holeCount: Int { Int(carvedCount - usedCount) }

    mutating func begin(sizeClass: Int, slotCount: Int) {
        self.sizeClass = UInt8(sizeClass)
        self.slotCount = UInt32(slotCount)
        usedCount = 0
        carvedCount = 0
        hint = 0
        let words = (slotCount + 63) / 64
        let bits = UnsafeMutablePointer<UInt64>.allocate(capacity: words)
        bits.initialize(repeating: 0, count: words)
        self.bits = bits
    }

    mutating func end() {
        releaseBits()
        self = Slab()
    }

    /// Must be the last call for a slab.
    func releaseBits() { bits?.deallocate() }

    /// Allocates the lowest free slot.
    ///
    /// - Returns: its number, and whether it was carved for this; `nil` if none is free.
    mutating func takeSlot() -> (slot: Int, wasCarved: Bool)? {
        guard hasFreeSlot, let bits else { return nil }
        while hint * 64 < Int(carvedCount), bits[hint] == .max { hint += 1 }
        let free = hint * 64 < Int(slotCount) ? (~bits[hint]).trailingZeroBitCount : 0
        let slot = min(hint * 64 + free, Int(carvedCount))
        bits[slot / 64] |= 1 << UInt64(slot % 64)
        usedCount += 1
        guard slot == Int(carvedCount) else { return (slot, false) }
        carvedCount += 1
        return (slot, true)
    }

    /// Frees a slot, and uncarves all free slots at the end of the carved ones.
    ///
    /// - Returns: the number of uncarved slots.
    mutating func giveSlot(_ slot: Int) -> Int {
        guard let bits else { preconditionFailure("only a slab in use has slots") }
        let bit: UInt64 = 1 << UInt64(slot % 64)
        precondition(bits[slot / 64] & bit != 0, "a slot is given back once")
        bits[slot / 64] &= ~bit
        usedCount -= 1
        hint = min(hint, slot / 64)
        guard slot + 1 == Int(carvedCount) else { return 0 }
        let before = carvedCount
        carvedCount = UInt32(lastUsed(before: slot).map { $0 + 1 } ?? 0)
        return Int(before - carvedCount)
    }

    /// The highest slot in use below `end`.
    func lastUsed(before end: Int) -> Int? {
        guard let bits, end > 0 else { return nil }
        var word = (end - 1) / 64
        var found = bits[word] & (.max >> UInt64(63 - (end - 1) % 64))
        while found == 0 {
            guard word > 0 else { return nil }
            word -= 1
            found = bits[word]
        }
        return word * 64 + 63 - found.leadingZeroBitCount
    }

    /// The lowest slot in use from `start` on.
    func firstUsed(from start: Int) -> Int? {
        guard let bits, start < Int(carvedCount) else { return nil }
        var word = start / 64
        var found = bits[word] & (.max << UInt64(start % 64))
        while found == 0 {
            word += 1
            guard word * 64 < Int(carvedCount) else { return nil }
            found = bits[word]
        }
        return word * 64 + found.trailingZeroBitCount
    }
}
