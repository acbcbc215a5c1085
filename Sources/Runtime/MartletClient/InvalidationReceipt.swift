public import CacheModel

/// The nodes that an invalidation waits for.
public enum InvalidationWait: String, Hashable, Sendable, CaseIterable {
    /// None: only until the record is in the publisher's log.
    case none
    /// Until more than half of the nodes have applied it or can no longer serve.
    case quorum
    /// Until every node has applied it or can no longer serve.
    case all
}

/// Which nodes have applied an invalidation, which can no longer serve, and which are pending.
public struct InvalidationReceipt: Hashable, Sendable {
    /// One node, and the time from the append until it applied the record, or its grant ended; zero
    /// if that time is no longer known.
    public struct Line: Hashable, Sendable {
        public var node: NodeID
        public var elapsed: Duration
    }

    /// Position of the record in the log.
    public var position: LogPosition
    public var wait: InvalidationWait
    /// Whether the requested wait was completed.
    public var isComplete: Bool
    /// How long near caches in clients may still answer with invalidated values.
    public var nearCacheDelay: Duration
    public var applied: [Line]
    /// Nodes with an expired grant: they serve nothing as fresh until they have caught up.
    public var expired: [Line]
    public var pending: [NodeID]
    /// The issuer of the record, by its own unverified statement. Only from
    /// ``CacheClient/receipt(of:wait:timeout:)``; `nil` if no name was sent or the publisher has
    /// forgotten it.
    public var issuer: Issuer?
}
