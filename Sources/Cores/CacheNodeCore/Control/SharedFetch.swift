import CacheInvalidation
import CacheModel

/// One versioned document of the publisher – the configuration, or the topology – and when to
/// request it.
struct SharedFetch: Sendable {
    /// The current version; `nil` before the first, and if it must be requested again.
    private(set) var current: UInt32?
    /// The last version received; `nil` before the first.
    private(set) var last: UInt32?
    /// Whether a version that could be read was received.
    private(set) var isInForce = false
    private var wasInForce = false
    private var sentAt: Instant?
    /// The last request, whether it was answered or not.
    private var lastSentAt: Instant?
    /// How soon after it there may be another, as of the last answer.
    private var spacing = Duration.zero

    /// The publisher reported its version.
    ///
    /// - Returns: whether to request it now. Otherwise it is reported again soon.
    mutating func reported(version: UInt32, now: Instant) -> Bool {
        guard version != current else { return false }
        if let sentAt, now.elapsed(since: sentAt) < NodeControlLimits.fetchPatience {
            return false
        }
        if let lastSentAt, now.elapsed(since: lastSentAt) < spacing { return false }
        (sentAt, lastSentAt) = (now, now)
        return true
    }

    /// The request was refused: it is repeated when the version is reported again.
    mutating func refused() { sentAt = nil }

    /// - Parameter spacing: the minimum time between two requests from now on.
    /// - Returns: whether this version differs from the current one.
    mutating func received(version: UInt32, spacing: Duration = .zero) -> Bool {
        (sentAt, self.spacing) = (nil, spacing)
        guard version != current else { return false }
        (current, last) = (version, version)
        (wasInForce, isInForce) = (isInForce, true)
        return true
    }

    /// The last version received cannot be read, for example because a later release wrote it.
    /// Without an earlier one no lease is kept.
    ///
    /// - Returns: whether the version before stays in force.
    mutating func unreadable(_ lease: inout NodeLease) -> Bool {
        isInForce = wasInForce
        if !isInForce { lease.revoke() }
        return isInForce
    }

    /// The document may be outdated: it is requested again, whatever its version.
    mutating func forget() { (current, sentAt) = (nil, nil) }
}
