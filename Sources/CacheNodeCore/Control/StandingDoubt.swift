package import CacheModel

/// Why a node is not live, for whoever asks it for its figures. Nothing is decided by it.
///
/// What grows while time passes is told as the moment when it began, so that shards need not be
/// told of it again.
package struct StandingDoubt: Hashable, Sendable {
    package var reason: StandingReason
    /// When the state that it explains began.
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
