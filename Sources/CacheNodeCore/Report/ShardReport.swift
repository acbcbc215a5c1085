package import CacheMetrics
package import CacheModel
package import CacheWire

/// What one shard tells of itself to whoever watches its node: what STATUS says, and beside it what
/// does not travel there.
package struct ShardReport: Sendable {
    package let shard: ShardIndex
    package let status: StatusReport
    package let incarnation: Incarnation
    /// The furthest position known to exist.
    package let head: LogPosition
    /// Why the node is not live; `nil` if it is.
    package let reason: StandingReason?
    /// How long loads of origins took, of those that ended.
    package let loads: DurationHistogram
    /// How long it took to answer what came in at once. By the shell, as what follows.
    package var turns: DurationHistogram?
    /// Replies that were not sent, by cause.
    package var unsent: [(cause: String, count: UInt64)] = []
}

extension ShardCore {
    /// What this shard tells of itself.
    ///
    /// - Complexity: O(figures), some 120, each with its name.
    package func report(now: Instant) -> ShardReport {
        ShardReport(
            shard: options.shardIndex, status: status(now: now),
            incarnation: options.incarnation, head: standing.head,
            reason: standing.doubt?.reason, loads: loadTimes)
    }

    /// What STATUS says.
    func status(now: Instant) -> StatusReport {
        var status = StatusReport(
            role: .shard, state: standing.state(at: now), name: options.node.name, mark: applied)
        status.figures = figures(now: now)
        return status
    }
}
