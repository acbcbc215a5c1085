public import CacheModel

/// The outcome of a store that was admitted.
public struct StoreResult: Hashable, Sendable {
    /// The position of the store in the log.
    public var position: LogPosition
    /// Whether it is fenced: stored with the token of a load lease.
    public var isFenced: Bool
    /// Whether the namespace's origin does not accept the write now. The node has it in its durable
    /// queue and sends it to the origin later.
    public var isQueued = false
    /// The node that stored it; in a replicated topology, the first.
    public var node: NodeID?
    /// All nodes that stored it within the timeout.
    public var storedOn: [NodeID]
}
