/// The number of a segment in the order in which they are written: 1, 2, 3 …
///
/// The ring assigns a place in the file to one number after the other; the number tells which of
/// them a record belongs to.
package struct SegmentNumber: Hashable, Comparable, Sendable {
    /// Before the first.
    package static let none = SegmentNumber(0)

    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package var next: SegmentNumber { SegmentNumber(rawValue + 1) }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

extension SegmentNumber {
    /// `nil` for an invalid number, as in a damaged file.
    init?(stored: UInt64) {
        guard stored < DiskLimits.numberEnd else { return nil }
        self.init(stored)
    }
}
