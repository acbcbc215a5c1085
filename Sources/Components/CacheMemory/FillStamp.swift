public import CacheModel

/// A position in a shard's history: of an entry's fill, or of a floor.
///
/// Sixteen bits of epoch ordinal (the number of the adopted epoch) over forty-eight bits of
/// sequence number. Order – as one integer:
///
///     none < (0, 1) < (0, 2) < … < (1, 0) < (1, 1) < …
///
/// A value filled *at* a position reflects the record at that position: a floor hides it only if
/// the value is strictly below it.
public struct FillStamp: Hashable, Comparable, Sendable {
    /// Below every floor that was ever raised.
    @inlinable package static var none: FillStamp { FillStamp(rawValue: 0) }

    /// No stamp is above it.
    package static var last: FillStamp { FillStamp(rawValue: .max) }

    @usableFromInline package let rawValue: UInt64

    @inlinable
    package init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    /// The stamp of `sequence` in the epoch that was adopted as number `epochOrdinal`.
    @inlinable
    package init(epochOrdinal: UInt16, sequence: SequenceNumber) {
        precondition(sequence.rawValue < 1 << 48, "a stamp keeps a sequence number in 48 bits")
        rawValue = UInt64(epochOrdinal) << 48 | sequence.rawValue
    }

    @inlinable package var epochOrdinal: UInt16 { UInt16(truncatingIfNeeded: rawValue >> 48) }
    @inlinable package var sequence: SequenceNumber { SequenceNumber(rawValue & (1 << 48 - 1)) }

    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
