public import CacheModel

/// What became of a store that was admitted.
public struct StoreResult: Hashable, Sendable {
    /// The position in the log that the store stands at.
    public var position: LogPosition
    /// Whether it was stored under the promise: with the token of a load lease.
    public var isFenced: Bool
    /// Whether it is a write that the namespace's origin does not take now: the node has it in its
    /// queue, durably, and tells the origin later.
    public var isQueued = false
    /// The node that stored it; in a replicated topology, the first.
    public var node: NodeID?
    /// All nodes that stored it within the timeout.
    public var storedOn: [NodeID]
}
