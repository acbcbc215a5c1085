public import CacheModel

/// The writes of one node that its origins have not got yet, and those that they rejected after
/// they were accepted.
public struct QueuedWrites: Hashable, Sendable {
    /// One of them.
    public struct Line: Hashable, Sendable {
        /// Its place in the node's order.
        public var number: UInt64
        public var namespace: Namespace
        public var key: CacheKey
        /// `nil`: the key is to be gone.
        public var valueBytes: Int?
        /// Since it was asked for.
        public var age: Duration
        /// By this run of the node.
        public var attemptCount: Int
        /// What became of the last of them, if it came to nothing.
        public var lastFailure: LoadFailure?
        /// `nil`: it waits.
        public var rejection: Rejection?
    }

    /// How the origin refused a write for good.
    public struct Rejection: Hashable, Sendable {
        /// As in HTTP; `nil`: it was not asked, because the key cannot stand in its URL.
        public var status: Int?
        /// The first that it said.
        public var words: [UInt8]
    }

    public var node: NodeID
    public var waitingCount: Int
    public var rejectedCount: Int
    /// How many an order was about.
    public var changedCount: Int
    /// The oldest first; not all of them where there are very many.
    public var lines: [Line]
}
