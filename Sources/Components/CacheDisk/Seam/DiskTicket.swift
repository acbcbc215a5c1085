/// The number that links a command to its completion: 1, 2, 3 … per tier.
package struct DiskTicket: Hashable, Comparable, Sendable {
    package let rawValue: UInt64

    package init(_ rawValue: UInt64) { self.rawValue = rawValue }

    package static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
