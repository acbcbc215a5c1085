/// One slot of the index: an entry in eight bytes, or empty.
///
///      bit 63    62     61 … 56        55 … 22    21 … 0
///     ┌────────┬──────┬──────────────┬──────────┬─────────────┐
///     │ second │ used │ length class │ address  │ fingerprint │
///     └────────┴──────┴──────────────┴──────────┴─────────────┘
///
/// All zeros is an empty slot. No entry has that value, as no length class is 0; so zeroed memory
/// is empty, and no bit is spent on it.
struct IndexSlot: Equatable {
    static let fingerprintBits: UInt64 = 22
    static let fingerprintMask: UInt64 = 1 << fingerprintBits - 1
    private static let addressShift = fingerprintBits
    private static let addressMask: UInt64 = (1 << RecordAddress.bitCount - 1) << addressShift
    private static let classShift = addressShift + RecordAddress.bitCount
    static let usedFlag: UInt64 = 1 << 62
    static let secondFlag: UInt64 = 1 << 63
    /// The bits that distinguish the entries of one bucket.
    static let matchMask = fingerprintMask | secondFlag

    static let empty = IndexSlot(bits: 0)

    let bits: UInt64

    @inline(__always)
    init(bits: UInt64) { self.bits = bits }

    /// An unused entry in its first bucket.
    @inline(__always)
    init(fingerprintLow: UInt64, _ address: RecordAddress, _ lengthClass: LengthClass) {
        bits =
            fingerprintLow | address.rawValue &<< Self.addressShift
            | UInt64(lengthClass.rawValue) &<< Self.classShift
    }

    @inline(__always) var isEmpty: Bool { bits == 0 }
    /// The lower 22 bits of the fingerprint.
    @inline(__always) var fingerprintLow: UInt64 { bits & Self.fingerprintMask }
    @inline(__always) var isSecond: Bool { bits & Self.secondFlag != 0 }
    @inline(__always) var isUsed: Bool { bits & Self.usedFlag != 0 }

    @inline(__always)
    var address: RecordAddress {
        RecordAddress(rawValue: (bits & Self.addressMask) &>> Self.addressShift)
    }

    /// - Precondition: the slot is not empty.
    @inline(__always)
    var lengthClass: LengthClass { LengthClass(kept: bits &>> Self.classShift & 63) }

    @inline(__always) var used: IndexSlot { IndexSlot(bits: bits | Self.usedFlag) }

    /// The same entry in its first or in its second bucket.
    @inline(__always)
    func moved(toSecond isSecond: Bool) -> IndexSlot {
        IndexSlot(bits: isSecond ? bits | Self.secondFlag : bits & ~Self.secondFlag)
    }
}
