import CacheModel

/// Leaving in order: DRAINING until every shard has finished its work under way.
///
///     serving ── order ─▶ draining ── all have finished ─▶ finished ── a pause ─▶ left
///                            └────────── the time is over ─────────────────────────▲
///
/// The lease, the publishes and the strong reads continue until the node stops.
enum DrainState: Equatable, Sendable {
    case serving
    /// New work is refused. Work that is not finished at `endsAt` is given up.
    case draining(endsAt: Instant, drainedShards: Set<ShardIndex>)
    /// No work is under way; the last answers are being sent.
    case finished(leavesAt: Instant)
    /// The process ends.
    case left

    /// When to decide if nothing happens.
    var nextDeadline: Instant? {
        switch self {
        case .serving, .left: nil
        case .draining(let endsAt, _): endsAt
        case .finished(let leavesAt): leavesAt
        }
    }

    mutating func shardDrained(_ shard: ShardIndex) {
        guard case .draining(let endsAt, var shards) = self else { return }
        shards.insert(shard)
        self = .draining(endsAt: endsAt, drainedShards: shards)
    }

    /// Leaves when it is time.
    ///
    /// - Parameter pause: after all work is finished.
    /// - Returns: whether all work was finished; `nil` if the node does not leave now.
    mutating func advance(
        shardCount: Int, isPublishing: Bool, pause: Duration = NodeControlLimits.drainPause,
        now: Instant
    ) -> Bool? {
        if case .draining(let endsAt, let shards) = self, shards.count == shardCount,
            !isPublishing
        {
            let leavesAt = min(now.advanced(by: pause), endsAt)
            self = .finished(leavesAt: leavesAt)
        }
        guard let deadline = nextDeadline, deadline <= now else { return nil }
        defer { self = .left }
        if case .finished = self { return true }
        return false
    }
}
