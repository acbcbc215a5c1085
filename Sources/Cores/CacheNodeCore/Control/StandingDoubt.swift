package import CacheModel

/// Why a node is not live, for its metrics. Nothing is decided by it.
///
/// Growing durations are reported by the moment they began, so that shards need no updates.
package struct StandingDoubt: Hashable, Sendable {
    package var reason: StandingReason
    /// When the explained state began.
    package var since: Instant
    /// When the publisher last answered; `nil` if it never did.
    package var answeredAt: Instant?
    /// When its last heartbeat came; `nil` if none ever did.
    package var heartbeatAt: Instant?

    package init(_ reason: StandingReason, since: Instant) {
        self.reason = reason
        self.since = since
    }
}
