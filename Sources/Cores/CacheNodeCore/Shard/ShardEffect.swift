package import CacheLoading
package import CacheModel

/// Requests of a shard to the rest of its node, passed by mailbox to the control thread.
package enum ShardEffect: Sendable {
    /// Have the publisher append an invalidation, and report its position.
    case publish(ShardPublishRequest)
    /// Ask the publisher for its head. An answer to one number answers the earlier ones.
    case askHead(number: UInt64)
    /// Everything up to this mark is applied here. If it is not awaited, it need not wake the
    /// control thread.
    case applied(LogMark, isAwaited: Bool)
    /// Load a value from its origin.
    case load(ShardLoad)
    /// A reader waits now for a background load.
    case hasten(number: UInt64)
    /// A peer waits for this load: it must not wait for a peer itself.
    case leavePeer(number: UInt64)
    /// Send a write to an origin.
    case write(WriteOrder)
    /// Send a request or an order to the node's queue.
    case askQueue(number: UInt64, QueueQuestion)
    /// These slots arrived: their entries are to be copied from the owners before.
    case arriving([SlotMove])
    /// Request entries from the owner before: readers wait for them.
    case pull(SlotPull)
    /// The next owner of slots is given entries: a node that leaves waits for that.
    case gives
    /// This node was ordered to leave.
    case drain
    /// The node is leaving, and no work is under way here any more. Sent once.
    case drained
}
