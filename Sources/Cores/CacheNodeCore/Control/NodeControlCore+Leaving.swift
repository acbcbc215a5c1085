package import CacheModel

/// Leaving in order: DRAINING until every shard has finished its work under way.
///
///     drain ─▶ shards refuse new work ─▶ all have finished ─▶ a pause for the last answers
///                                                     └─▶ leave ─▶ (the shards end) ─▶ stop: BYE
///
/// The lease, the publishes and the strong reads continue until ``stop(now:into:)``.
extension NodeControlCore {
    struct Leaving: Sendable {
        /// Work that is not finished by then is given up.
        let endsAt: Instant
        var drainedShards: Set<ShardIndex> = []
        /// Known once nothing is under way.
        var leavesAt: Instant?
        var hasLeft = false

        /// When to decide if nothing happens.
        var deadline: Instant? { hasLeft ? nil : leavesAt ?? endsAt }
    }

    /// The node accepts nothing new, finishes accepted work, and then emits ``NodeControlAction``
    /// `.leave`, within ``NodeControlLimits/drainPatience``. Repeated calls change nothing.
    package mutating func drain(now: Instant, into actions: inout [NodeControlAction]) {
        guard !isDraining else { return }
        isDraining = true
        leaving = Leaving(endsAt: now.advanced(by: NodeControlLimits.drainPatience))
        actions.append(.report(.draining))
        // The next PING informs the publisher, which informs its askers.
        pingAtOnce(now: now)
        endTurn(now: now, into: &actions)
    }

    /// No work is under way any more in this shard.
    package mutating func shardDrained(_ shard: ShardIndex) {
        leaving?.drainedShards.insert(shard)
    }

    /// Leaves when it is due.
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
