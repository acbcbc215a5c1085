public import CacheModel

/// How much of one node a scope covers.
public struct NodeCount: Hashable, Sendable {
    public var node: NodeID
    public var entryCount: Int
    /// What the entries are charged, bookkeeping included.
    public var entryBytes: Int
    /// Whether nothing is counted that the same scope hides already, or that is of another scope.
    /// Otherwise they are at most so many.
    public var isExact = true

    /// Counts the other in, whose node is the same.
    mutating func add(_ other: NodeCount) {
        entryCount = Self.sum(entryCount, other.entryCount)
        entryBytes = Self.sum(entryBytes, other.entryBytes)
        isExact = isExact && other.isExact
    }

    /// Two counts together. Nodes say what they like, so a sum beyond `Int.max` is `Int.max`.
    package static func sum(_ one: Int, _ other: Int) -> Int {
        let (sum, isOver) = one.addingReportingOverflow(other)
        return isOver ? .max : sum
    }
}
