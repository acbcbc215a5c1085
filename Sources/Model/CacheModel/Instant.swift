/// A moment on one process's monotonic clock, in nanoseconds since an arbitrary start.
/// Comparable within one process only: never stored, never sent.
public struct Instant: Hashable, Comparable, Sendable {
    public let nanoseconds: UInt64

    @inlinable
    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// Time from `earlier` to this moment; zero if `earlier` is later, because two threads may
    /// read the clock in one order and compare in the other.
    @inlinable
    public func elapsed(since earlier: Instant) -> Duration {
        earlier < self
            ? .nanoseconds(Int64(clamping: nanoseconds - earlier.nanoseconds)) : .zero
    }

    /// The moment `duration` later; the greatest instant if that is not representable. A negative
    /// duration counts as zero.
    @inlinable
    public func advanced(by duration: Duration) -> Instant {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return Instant(nanoseconds: overflow ? .max : sum)
    }

    /// The moment `duration` earlier; the first instant if it would be before that. A negative
    /// duration counts as zero.
    @inlinable
    package func reversed(by duration: Duration) -> Instant {
        Instant(nanoseconds: nanoseconds - min(nanoseconds, duration.wholeNanoseconds))
    }

    @inlinable
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}
