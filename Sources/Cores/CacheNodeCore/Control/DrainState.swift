import CacheModel

/// Leaving in order: DRAINING until every shard has finished its work under way.
///
///     serving ── order ─▶ draining ── all have finished ─▶ finished ── a pause ─▶ left
///                            └────────── the time is over ─────────────────────────▲
///
/// Where others have the node's slots by then, the pause begins again whenever they are given
/// entries.
///
/// The lease, the publishes and the strong reads continue until the node stops.
enum DrainState: Equatable, Sendable {
    case serving
    /// New work is refused. Work that is not finished at `endsAt` is given up.
    case draining(endsAt: Instant, drainedShards: Set<ShardIndex>)
    /// No work is under way; the last answers are being sent.
    case finished(leavesAt: Instant, endsAt: Instant)
    /// The process ends.
    case left

    /// When to decide if nothing happens.
    var nextDeadline: Instant? {
        switch self {
        case .serving, .left: nil
        case .draining(let endsAt, _): endsAt
        case .finished(let leavesAt, _): leavesAt
        }
    }

    mutating func shardDrained(_ shard: ShardIndex) {
        guard case .draining(let endsAt, var shards) = self else { return }
        shards.insert(shard)
        self = .draining(endsAt: endsAt, drainedShards: shards)
    }

    /// The next owner of slots is given entries: the pause begins again.
    mutating func noteGiving(now: Instant) {
        guard case .finished(_, let endsAt) = self else { return }
        let leavesAt = min(now.advanced(by: NodeControlLimits.drainPauseBySlots), endsAt)
        self = .finished(leavesAt: leavesAt, endsAt: endsAt)
    }

    /// Leaves when it is time.
    ///
    /// - Parameter isBySlots: whether others have the keys by then, and ask for entries.
    /// - Returns: whether all work was finished; `nil` if the node does not leave now.
    mutating func advance(
        shardCount: Int, isPublishing: Bool, isBySlots: Bool = false, now: Instant
    ) -> Bool? {
        if case .draining(let endsAt, let shards) = self, shards.count == shardCount,
            !isPublishing
        {
            let pause =
                isBySlots ? NodeControlLimits.drainPauseBySlots : NodeControlLimits.drainPause
            let paused = now.advanced(by: pause)
            let leavesAt = isBySlots ? paused : min(paused, endsAt)
            let givesUntil = now.advanced(by: isBySlots ? HandOverLimits.lifetime : .zero)
            self = .finished(leavesAt: leavesAt, endsAt: max(leavesAt, givesUntil))
        }
        guard let deadline = nextDeadline, deadline <= now else { return nil }
        defer { self = .left }
        if case .finished = self { return true }
        return false
    }
}
