package import CacheModel

/// How long a follower of the log ignores a publisher that is behind it.
///
/// Several publishers share one log, and within one epoch the log never becomes shorter. One that
/// led before, and does not know of its successor yet, is behind a follower of the successor; what
/// it says about the records between the two is wrong.
package struct LagPatience: Hashable, Sendable {
    private var since: Instant?

    package init() {}

    /// Whether to ignore what a publisher says.
    ///
    /// - Parameter isBehind: whether its head is behind the follower, in the same epoch.
    /// - Returns: `false` also for one that has been behind for ``ClientLimits/lagMax``.
    package mutating func ignores(isBehind: Bool, at now: Instant) -> Bool {
        guard isBehind else {
            since = nil
            return false
        }
        let since = since ?? now
        self.since = since
        return now.elapsed(since: since) < ClientLimits.lagMax
    }
}
