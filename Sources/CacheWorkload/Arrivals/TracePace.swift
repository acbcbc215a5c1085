public import CacheModel

/// When recorded requests are due again: as they came, or faster, or slower.
///
/// A trace whose times go back, as those of several merged files may, goes on at once: nothing is
/// due before what stands above it.
public struct TracePace: Sendable {
    /// How many recorded seconds pass in one: 10 is ten times as fast.
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

    /// When the request is due that was recorded at `time`, in nanoseconds since whenever. The
    /// first one is due at the start.
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
