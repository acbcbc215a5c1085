import CacheModel

/// When the next heartbeat is due: after the longest silence, or soon after a broadcast or a
/// subscription.
struct HeartbeatSchedule {
    private var last: Instant?
    private(set) var next: Instant

    init(now: Instant) { next = now }

    func isDue(at now: Instant) -> Bool { next <= now }

    /// A heartbeat is due at the end of this turn.
    mutating func requestNow(_ now: Instant) { next = now }

    /// A heartbeat is due at the end of this turn, or a little later if one was just sent.
    mutating func requestSoon(now: Instant) {
        let earliest = last?.advanced(by: PublisherLimits.heartbeatSpacing) ?? now
        next = min(next, max(now, earliest))
    }

    /// The turn of a heartbeat ends.
    ///
    /// - Parameters:
    ///   - isSent: `false` if the position of the log must not be reported yet.
    ///   - interval: longest silence on the live channel.
    mutating func end(isSent: Bool, interval: Duration, now: Instant) {
        next = now.advanced(by: interval)
        if isSent { last = now }
    }
}
