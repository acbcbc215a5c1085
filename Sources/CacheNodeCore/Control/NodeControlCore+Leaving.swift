package import CacheModel

/// Leaving in order: DRAINING until every shard has finished what was under way.
///
///     drain ─▶ shards refuse what is new ─▶ all have finished ─▶ a moment for the last answers
///                                                     └─▶ leave ─▶ (the shards end) ─▶ stop: BYE
///
/// The lease, the publishes and the strong reads go on until ``stop(now:into:)``.
extension NodeControlCore {
    struct Leaving: Sendable {
        /// What is not finished by then is given up.
        let endsAt: Instant
        var drainedShards: Set<ShardIndex> = []
        /// Known once nothing is under way.
        var leavesAt: Instant?
        var hasLeft = false

        /// When there is something to decide though nothing happens.
        var deadline: Instant? { hasLeft ? nil : leavesAt ?? endsAt }
    }

    /// The node takes nothing new, finishes what it accepted, and then says ``NodeControlAction``
    /// `.leave`, within ``NodeControlLimits/drainPatience``. Asking again changes nothing.
    package mutating func drain(now: Instant, into actions: inout [NodeControlAction]) {
        guard !isDraining else { return }
        isDraining = true
        leaving = Leaving(endsAt: now.advanced(by: NodeControlLimits.drainPatience))
        actions.append(.report(.draining))
        // The next PING tells the publisher, and it everybody who asks.
        pingAtOnce(now: now)
        endTurn(now: now, into: &actions)
    }

    /// Nothing is under way any more in this shard.
    package mutating func shardDrained(_ shard: ShardIndex) {
        leaving?.drainedShards.insert(shard)
    }

    /// Leaves when it is time.
    mutating func continueLeaving(now: Instant, into actions: inout [NodeControlAction]) {
        guard var leaving, !leaving.hasLeft else { return }
        if leaving.leavesAt == nil, leaving.drainedShards.count == shardMarks.count,
            publishes.count == 0
        {
            let pause = now.advanced(by: NodeControlLimits.drainPause)
            leaving.leavesAt = min(pause, leaving.endsAt)
        }
        if let deadline = leaving.deadline, deadline <= now {
            leaving.hasLeft = true
            actions.append(.report(.drained(isFinished: leaving.leavesAt != nil)))
            actions.append(.leave)
        }
        self.leaving = leaving
    }
}
