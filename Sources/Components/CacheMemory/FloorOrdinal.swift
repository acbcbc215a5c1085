/// The number of rises so far of floors of tags, prefixes, namespaces and of everything.
///
/// Order – by number. An entry keeps the ordinal of its last check; while the table's is equal, no
/// floor that it has not been checked against can have risen. Zero is "never checked"; the table
/// starts at one.
public struct FloorOrdinal: Hashable, Comparable, Sendable {
    @inlinable package static var never: FloorOrdinal { FloorOrdinal(0) }

    /// The initial ordinal of a table, also after a restart of the count.
    @inlinable package static var first: FloorOrdinal { FloorOrdinal(1) }

    @usableFromInline package let rawValue: UInt32

    @inlinable
    package init(_ rawValue: UInt32) {
        self.rawValue = rawValue
    }

    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
    @inlinable
    public static func == (lhs: Self, rhs: Self) -> Bool { lhs.rawValue == rhs.rawValue }
}
