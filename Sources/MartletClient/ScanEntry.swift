public import CacheModel

/// A key that a scan found.
public struct ScanEntry: Hashable, Sendable {
    public var key: CacheKey
    public var valueBytes: Int
    /// Time left; `nil` never expires.
    public var timeToLive: Duration?
    public var node: NodeID
    /// How often it is asked for, about, against others of the same node; 0 unless the hottest were
    /// asked for.
    public var heat = 0
}

/// How much of one node a scope covers.
public struct NodeCount: Hashable, Sendable {
    public var node: NodeID
    public var entryCount: Int
    /// What the entries are charged, bookkeeping included.
    public var entryBytes: Int
    /// Whether nothing is counted that the same scope hides already, or that is of another scope.
    /// Otherwise they are at most so many.
    public var isExact = true
}
