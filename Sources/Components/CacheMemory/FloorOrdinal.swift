/// How many floors of tags, prefixes, namespaces and of everything had risen at some moment.
///
/// Law of order – by number. An entry keeps the ordinal it was last checked at; while the table
/// still stands there, nothing it has not been checked against can have risen. Zero is "never
/// checked"; the table begins at one.
public struct FloorOrdinal: Hashable, Comparable, Sendable {
    @inlinable package static var never: FloorOrdinal { FloorOrdinal(0) }

    /// Where a table begins, and begins anew.
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
