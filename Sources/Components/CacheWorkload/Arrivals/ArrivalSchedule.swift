public import CacheModel

/// When each request of an open loop is due, for one of several threads.
///
/// Due times depend only on the start and the number of the request. So a late request delays no
/// other, and a day of requests does not drift by a nanosecond. Threads at a constant rate take
/// turns; Poisson arrivals of several threads together are again Poisson arrivals.
public struct ArrivalSchedule: Sendable {
    @usableFromInline
    package enum Gap: Sendable {
        /// `whole` nanoseconds and `rest` ÷ `rate` of one.
        case even(whole: UInt64, rest: UInt64)
        /// Exponential, of this mean in nanoseconds.
        case exponential(mean: Double)
    }

    @usableFromInline package let gap: Gap
    /// Requests a second, all threads together.
    @usableFromInline package let rate: UInt64
    /// When the next request is due.
    @usableFromInline package var nextDue: Instant
    /// The rest beyond `nextDue`: fractions of a nanosecond, in units of 1 ÷ `rate`.
    @usableFromInline package var remainder: UInt64 = 0
    @usableFromInline package var fraction = 0.0
    @usableFromInline package var random: WorkloadRandom

    /// - Parameters:
    ///   - perSecond: requests a second, all threads together: at least 1.
    ///   - share: the thread's share of the requests.
    ///   - start: when the first request at a constant rate is due.
    package init(
        perSecond: Int, _ pattern: ArrivalPattern, share: ThreadShare, seed: UInt64,
        start: Instant
    ) {
        precondition(perSecond > 0, "requests arrive")
        rate = UInt64(perSecond)
        random = WorkloadRandom(seed: seed, stream: UInt64(share.keys.index) | 1 << 63)
        nextDue = start
        let step = UInt64(share.threadCount) * 1_000_000_000
        switch pattern {
        case .constant:
            gap = .even(whole: step / rate, rest: step % rate)
            let before = UInt64(share.thread) * 1_000_000_000
            nextDue = Instant(nanoseconds: start.nanoseconds + before / rate)
            remainder = before % rate
        case .poisson:
            gap = .exponential(mean: Double(step) / Double(rate))
            _ = take()
        }
    }

    /// Returns the due time of the next request, and advances to the one after it.
    @inlinable
    package mutating func take() -> Instant {
        let due = nextDue
        switch gap {
        case .even(let whole, let rest):
            remainder += rest
            let carry: UInt64 = remainder >= rate ? 1 : 0
            remainder -= carry * rate
            nextDue = Instant(nanoseconds: due.nanoseconds &+ whole &+ carry)
        case .exponential(let mean):
            // 1 − unit is above 0, and its logarithm finite.
            fraction -= ElementaryFunction.logarithm(1 - random.unit()) * mean
            let whole = UInt64(fraction)
            fraction -= Double(whole)
            nextDue = Instant(nanoseconds: due.nanoseconds &+ whole)
        }
        return due
    }
}
