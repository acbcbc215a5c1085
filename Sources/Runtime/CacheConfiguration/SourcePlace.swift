/// A place in a file as editors count it.
package struct SourcePlace: Hashable, Comparable, Sendable {
    /// From 1.
    package let line: Int
    /// In Unicode scalars, from 1.
    package let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Where a problem of the file as a whole is shown.
    package static let start = SourcePlace(line: 1, column: 1)

    package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.line, lhs.column) < (rhs.line, rhs.column)
    }
}
