/// Eight slots in one cache line.
struct IndexBucket {
    static let bytes = 64
    static let slotCount = 8

    let base: UnsafeMutableRawPointer

    subscript(slot: Int) -> IndexSlot {
        @inline(__always) get {
            IndexSlot(bits: base.load(fromByteOffset: slot &* 8, as: UInt64.self))
        }
        @inline(__always) nonmutating set {
            base.storeBytes(of: newValue.bits, toByteOffset: slot &* 8, as: UInt64.self)
        }
    }

    /// The slot with these 22 bits, as an entry in its first, or second, bucket.
    ///
    /// All eight are compared without a branch, which would be mispredicted.
    @inline(__always)
    func slot(of fingerprintLow: UInt64, isSecond: Bool) -> Int? {
        let wanted = isSecond ? fingerprintLow | IndexSlot.secondFlag : fingerprintLow
        var found: UInt64 = 0
        for slot in 0..<Self.slotCount {
            let bits = self[slot].bits
            let isMatch: UInt64 = (bits ^ wanted) & IndexSlot.matchMask == 0 ? 1 : 0
            let isEntry: UInt64 = bits == 0 ? 0 : 1
            found |= (isMatch & isEntry) &<< UInt64(slot)
        }
        return found == 0 ? nil : found.trailingZeroBitCount
    }

    /// A bit mask of the empty slots.
    @inline(__always)
    var free: UInt64 {
        var free: UInt64 = 0
        for slot in 0..<Self.slotCount {
            let isFree: UInt64 = self[slot].isEmpty ? 1 : 0
            free |= isFree &<< UInt64(slot)
        }
        return free
    }
}
