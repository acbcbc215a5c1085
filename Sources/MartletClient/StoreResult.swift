public import CacheModel

/// What became of a store that was admitted.
public struct StoreResult: Hashable, Sendable {
    /// The position in the log that the store stands at.
    public var position: LogPosition
    /// Whether it was stored under the promise: with a token, or with a version and no tags.
    public var isFenced: Bool
    /// The node that stored it; in a replicated topology, the first.
    public var node: NodeID?
    /// All nodes that stored it within the timeout.
    public var storedOn: [NodeID]
}
