/// The start of a record, in units of eight bytes from the start of the first segment.
///
/// 34 bits reach 128 GiB, see ``DiskLimits/segmentBytesAllMax``. An address identifies a record
/// only together with the number of the segment at that place.
public struct RecordAddress: Hashable, Sendable {
    @usableFromInline package static let bitCount: UInt64 = 34
    @usableFromInline package static let unitBytes = 8

    /// Below 2^34.
    @usableFromInline package let rawValue: UInt64

    /// - Precondition: `rawValue` has 34 bits.
    @inlinable
    package init(rawValue: UInt64) {
        precondition(rawValue >> Self.bitCount == 0, "an address has 34 bits")
        self.rawValue = rawValue
    }

    /// - Precondition: `byteOffset` is a multiple of eight, within 128 GiB.
    @inlinable
    package init(byteOffset: Int) {
        precondition(byteOffset >= 0, "no record precedes the first segment")
        precondition(byteOffset % Self.unitBytes == 0, "records begin at multiples of eight")
        self.init(rawValue: UInt64(byteOffset / Self.unitBytes))
    }

    /// Bytes from the start of the first segment.
    @inlinable
    package var byteOffset: Int { Int(rawValue) * Self.unitBytes }
}
