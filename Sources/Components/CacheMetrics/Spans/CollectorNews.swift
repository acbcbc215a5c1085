import CacheModel

/// Log lines about a collector that does not accept spans: once a minute at most.
package struct CollectorNews: Hashable, Sendable {
    package struct Line: Hashable, Sendable {
        /// Its last error, or why it was unreachable; `nil`: spans were dropped because the queue
        /// was full.
        package let reason: String?
        /// Spans that were lost since the last line.
        package let lostCount: UInt64
    }

    private var reason: String?
    private var toldLostCount: UInt64 = 0
    private var silentUntil: Instant?

    mutating func hears(_ reason: String) { self.reason = reason }

    /// - Parameter lost: how many were lost since the start.
    mutating func take(at now: Instant, lost: UInt64) -> Line? {
        guard reason != nil || lost > toldLostCount else { return nil }
        if let silentUntil, now < silentUntil { return nil }
        defer {
            reason = nil
            toldLostCount = lost
            silentUntil = now.advanced(by: SpanLimits.silence)
        }
        return Line(reason: reason, lostCount: lost - toldLostCount)
    }
}
