public import CacheModel

/// How many entries of one node a scope covers.
public struct NodeCount: Hashable, Sendable {
    public var node: NodeID
    public var entryCount: Int
    /// The bytes that the entries are charged for, bookkeeping included.
    public var entryBytes: Int
    /// Whether the counts exclude entries that the same scope hides already, and entries of other
    /// scopes. If `false`, they are upper bounds.
    public var isExact = true

    /// Adds another count of the same node.
    mutating func add(_ other: NodeCount) {
        entryCount = Self.sum(entryCount, other.entryCount)
        entryBytes = Self.sum(entryBytes, other.entryBytes)
        isExact = isExact && other.isExact
    }

    /// Adds two counts. Nodes may send any number, so a sum beyond `Int.max` is `Int.max`.
    package static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, isOver) = one.addingReportingOverflow(other)
        return isOver ? .max : sum
    }
}
