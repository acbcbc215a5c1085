package import CacheLoading
package import CacheModel

/// What a shard wants from the rest of its node: carried by mailbox to the control thread.
package enum ShardEffect: Sendable {
    /// Have the publisher append an invalidation, and say at which position.
    case publish(ShardPublishRequest)
    /// Ask the publisher for its head. An answer to one number answers the earlier ones.
    case askHead(number: UInt64)
    /// Everything up to this mark is obeyed here. If nobody awaits it, it need not wake anybody.
    case applied(LogMark, isAwaited: Bool)
    /// Have a value loaded from its origin.
    case load(ShardLoad)
    /// Somebody waits now for a load that went on behind an answer.
    case hasten(number: UInt64)
    /// A peer waits for this load: it must not wait for a peer itself.
    case leavePeer(number: UInt64)
    /// Have an origin told of a write.
    case write(WriteOrder)
    /// Ask the node's queue, or order something of it.
    case askQueue(number: UInt64, QueueQuestion)
    /// Somebody ordered this node to leave.
    case drain
    /// The node leaves, and nothing is under way here any more. Said once.
    case drained
}
