package import CacheMemory
package import CacheModel

/// Actions for a node's control thread, to be performed in order.
package enum NodeControlAction: Hashable, Sendable {
    /// Tell every shard which run of this node last had a lease before this one; none if unknown.
    /// The contents of its disk are complete only if that run left them. Comes with every WELCOME,
    /// before its other actions; if it differs from the first one, that run has stored something
    /// meanwhile.
    case lives(previous: Incarnation)
    /// Pass these to every shard, in this order. If they are awaited, a shard wakes the control
    /// thread once it has applied them; otherwise it only leaves a message.
    case apply(records: [SealedRecord], isAwaited: Bool)
    /// Tell every shard to hide everything filled up to now, permanently if it cannot be
    /// revalidated, and to count as applied up to `continueFrom`. If it is pending, `.settle`
    /// follows.
    case forget(continueFrom: LogMark, epochChanged: Bool, isPending: Bool)
    /// Tell every shard that forgot and continued `from` there which names were covered meanwhile:
    /// other entries may be served again. `nil`: this cannot be determined.
    case settle(touched: TouchedScopes?, from: LogMark)
    /// Tell every shard the node's standing.
    case setStanding(NodeStanding)
    /// Send this frame on the control socket.
    case sendControl(bytes: [UInt8])
    /// Close the subscription and open it again.
    case resubscribe
    /// Close the control connection and open it again. Messages queued on it are lost.
    case reconnectControl
    /// Answer a shard's publish: the position of the record, or why there is none.
    case published(shard: ShardIndex, ticket: UInt64, result: Result<LogPosition, PublishFailure>)
    /// Answer a shard's request for the head, and every earlier one: everything that was
    /// acknowledged before it asked is at or before `head`.
    case headKnown(shard: ShardIndex, number: UInt64, head: LogPosition)
    /// The cluster has another configuration.
    case configuration(revision: UInt32, text: String)
    /// The cluster has another topology: an encoded TOPOLOGY REPORT for the shards to serve,
    /// without its request id.
    case topology(frame: [UInt8])
    /// End the process with exit code 78 and this sentence: a restart would not help.
    case fatal(sentence: String)
    /// The work under way when the node was ordered to leave is finished, or took too long: end the
    /// process in order, with exit code 0.
    case leave
    /// Report an event.
    case report(NodeControlReport)
}
