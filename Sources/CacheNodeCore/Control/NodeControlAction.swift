package import CacheMemory
package import CacheModel

/// What a node's control thread has to do, in order.
package enum NodeControlAction: Hashable, Sendable {
    /// Tell every shard which run of this node had a lease last before this one; none if nobody
    /// knows. What it finds on its disk is whole only if that run left it. Comes with every
    /// welcome, before anything else of it; if it is another one than at first, that one has
    /// stored something meanwhile.
    case lives(previous: Incarnation)
    /// Hand these to every shard, in this order. If they are awaited, a shard wakes the control
    /// thread once it has obeyed; else it only leaves word.
    case apply(records: [SealedRecord], isAwaited: Bool)
    /// Tell every shard to hide, for good where it cannot be revalidated, what was filled up to
    /// now, and to count as applied up to `continueFrom`. If it is pending, `.settle` follows.
    case forget(continueFrom: LogMark, epochChanged: Bool, isPending: Bool)
    /// Tell every shard that forgot and went on `from` there what was touched meanwhile: the rest
    /// may be shown again. `nil`: nobody can tell.
    case settle(touched: TouchedScopes?, from: LogMark)
    /// Tell every shard how the node stands.
    case setStanding(NodeStanding)
    /// Send this frame on the control socket.
    case sendControl(bytes: [UInt8])
    /// Close the subscription and make it anew.
    case resubscribe
    /// Close the control connection and make it anew. What was queued on it is gone.
    case reconnectControl
    /// Answer a shard's publish: the position of the record, or why there is none.
    case published(shard: ShardIndex, ticket: UInt64, result: Result<LogPosition, PublishFailure>)
    /// Answer a shard's question for the head, and every earlier one: everything that was
    /// acknowledged before it asked lies at or before `head`.
    case headKnown(shard: ShardIndex, number: UInt64, head: LogPosition)
    /// The cluster has another configuration.
    case configuration(revision: UInt32, text: String)
    /// The cluster has another topology: an encoded TOPOLOGY REPORT for the shards to serve, of
    /// which the request id is still to be set.
    case topology(frame: [UInt8])
    /// End the process with exit code 78 and this sentence: it can never work like this.
    case fatal(sentence: String)
    /// What was under way when the node was ordered to leave is finished, or took too long: end the
    /// process in order, with exit code 0.
    case leave
    /// Tell whoever watches.
    case report(NodeControlReport)
}
