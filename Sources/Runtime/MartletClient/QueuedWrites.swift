public import CacheModel

/// The writes of one node that wait for its origins, and those that origins rejected after the node
/// had accepted them.
public struct QueuedWrites: Hashable, Sendable {
    /// One queued or rejected write.
    public struct Line: Hashable, Sendable {
        /// Its sequence number in the node's queue.
        public var number: UInt64
        public var namespace: Namespace
        public var key: CacheKey
        /// `nil` for the removal of the key.
        public var valueBytes: Int?
        /// Time since the client sent the write.
        public var age: Duration
        /// Attempts of this run of the node.
        public var attemptCount: Int
        /// Why the last attempt failed; `nil` if none failed.
        public var lastFailure: LoadFailure?
        /// `nil` while it waits.
        public var rejection: Rejection?
    }

    /// The final refusal of a write by its origin.
    public struct Rejection: Hashable, Sendable {
        /// The HTTP status; `nil` if the origin was not asked, because its URL cannot contain the
        /// key.
        public var status: Int?
        /// The beginning of the origin's message.
        public var words: [UInt8]
    }

    public var node: NodeID
    public var waitingCount: Int
    public var rejectedCount: Int
    /// How many writes an order changed.
    public var changedCount: Int
    /// Oldest first; truncated if there are very many.
    public var lines: [Line]
}
