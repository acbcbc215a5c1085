public import CacheModel

/// When recorded requests are due again: at the recorded speed, or faster, or slower.
///
/// Times of a trace may go back, as in several merged files. Such a request is due at once: no
/// request is due before the one above it.
public struct TracePace: Sendable {
    /// Recorded seconds for each second: 10 is ten times as fast.
    @usableFromInline package let speed: Double
    @usableFromInline package let start: Instant
    @usableFromInline package var firstTime: Int64?
    @usableFromInline package var latest: Instant

    /// - Parameter speed: above 0; ``WorkloadLimits/traceSpeed``.
    package init(speed: Double, start: Instant) {
        precondition(speed > 0 && speed.isFinite, "recorded time goes on")
        self.speed = speed
        self.start = start
        latest = start
    }

    /// The due time of a request that was recorded at `time`, in nanoseconds since any moment. The
    /// first request is due at the start.
    @inlinable
    package mutating func due(recordedAt time: Int64) -> Instant {
        let first = firstTime ?? time
        firstTime = first
        let (elapsed, overflow) = time.subtractingReportingOverflow(first)
        guard !overflow, elapsed > 0 else { return latest }
        let offset = Double(elapsed) / speed + 0.5
        guard offset < 0x1p63 else { return latest }
        let (moment, isPastTheEnd) = start.nanoseconds.addingReportingOverflow(UInt64(offset))
        if !isPastTheEnd, moment > latest.nanoseconds { latest = Instant(nanoseconds: moment) }
        return latest
    }
}
