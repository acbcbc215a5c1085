public import CacheModel

/// How much an invalidation waits for.
public enum InvalidationWait: String, Hashable, Sendable, CaseIterable {
    /// Only that the publisher has numbered and kept it.
    case none
    /// That more than half of the nodes obeyed or can no longer serve.
    case quorum
    /// That every node obeyed or can no longer serve.
    case all
}

/// Which nodes have obeyed an invalidation, which can no longer serve, and which are owed.
public struct InvalidationReceipt: Hashable, Sendable {
    /// One node, and how long after the append it obeyed, or its grant ran out; zero where that is
    /// not known any more.
    public struct Line: Hashable, Sendable {
        public var node: NodeID
        public var elapsed: Duration
    }

    /// Where it stands in the log.
    public var position: LogPosition
    public var wait: InvalidationWait
    /// Whether what was asked to be waited for was reached.
    public var isComplete: Bool
    /// For how long near caches in clients may still answer with what was invalidated.
    public var nearCacheDelay: Duration
    public var applied: [Line]
    /// Nodes whose grant ran out: they serve nothing as fresh until they have caught up.
    public var expired: [Line]
    public var pending: [NodeID]
    /// Who ordered it, as it says itself; only from ``CacheClient/receipt(of:wait:timeout:)``, and
    /// `nil` where the publisher was not told or does not remember.
    public var issuer: Issuer?
}
