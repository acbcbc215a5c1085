package import CacheMetrics
package import CacheModel
package import CacheWire

/// The report of one shard: the content of STATUS, and data that is not in it.
package struct ShardReport: Sendable {
    package let shard: ShardIndex
    package let status: StatusReport
    package let incarnation: Incarnation
    /// The highest position known to exist.
    package let head: LogPosition
    /// Why the node is not live; `nil` if it is.
    package let reason: StandingReason?
    /// Durations of origin loads that have ended.
    package let loads: DurationHistogram
    /// Durations of answering all frames received at once. Set by the shell, like the following.
    package var turns: DurationHistogram?
    /// Replies that were not sent, by cause.
    package var unsent: [(cause: String, count: UInt64)] = []
}

extension ShardCore {
    /// The report of this shard.
    ///
    /// - Complexity: O(metrics), some 120, each with its name.
    package func report(now: Instant) -> ShardReport {
        ShardReport(
            shard: options.shardIndex, status: status(now: now),
            incarnation: options.incarnation, head: log.standing.head,
            reason: log.standing.doubt?.reason, loads: loads.times)
    }

    /// The content of STATUS.
    func status(now: Instant) -> StatusReport {
        var status = StatusReport(
            role: .shard, state: log.standing.state(at: now), name: options.node.name,
            mark: log.applied)
        status.figures = figures(now: now)
        return status
    }
}
