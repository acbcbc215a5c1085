/// A place in one epoch's log, contiguous from 1. ``none`` (0) means no record yet.
public struct SequenceNumber: Hashable, Comparable, Sendable, CustomStringConvertible {
    public static let none = SequenceNumber(0)
    /// The greatest: entries and floors store sequence numbers in 48 bits.
    public static let max = SequenceNumber(1 << 48 - 1)

    public let rawValue: UInt64

    @inlinable
    public init(_ rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The place after this one.
    ///
    /// - Precondition: this is not the greatest.
    public var next: SequenceNumber {
        precondition(self < .max, "an epoch's log ends at sequence number 2^48 - 1")
        return SequenceNumber(rawValue + 1)
    }

    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }

    public var description: String { String(rawValue) }
}
