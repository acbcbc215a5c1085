package import CacheModel

/// The bridge between a process's instants and its tier's time.
///
/// Instants count from the machine's boot, so while it runs the two differ by a constant, over
/// restarts of the process too. Only over a boot the calendar is asked how long the machine was
/// off.
package struct TierClock: Equatable, Sendable {
    /// The tier's time less the boot's clock, in milliseconds.
    package let base: Int64

    /// Further than any two moments are apart; so far the sums below do not overflow.
    private static let baseMax = Int64(TierTime.max.milliseconds)

    /// Longer than any entry lives, with its stale windows. So far ahead a tier's time is set where
    /// nobody knows how long the machine was off: all that expires has expired.
    private static let unknownMilliseconds = 2 * LifetimeLimits.longest.wholeMilliseconds

    /// Whether enough time is left of a tier that was ended then: each boot may use up the longest
    /// that an entry lives, and at the end of time nothing would expire any more.
    package static func canContinue(from closed: TierTime) -> Bool {
        closed.milliseconds <= TierTime.max.milliseconds / 2
    }

    /// Where the time of a new tier begins, so that what was stored elsewhere before has an age
    /// there: a thousand days.
    package static let first = TierTime(milliseconds: 1_000 * 86_400_000)

    /// Of a tier that is made now: its time begins at ``first``.
    package init(startingAt now: Instant) {
        base = Int64(Self.first.milliseconds) - Int64(now.milliseconds)
    }

    /// Of one that goes on.
    ///
    /// - Parameter calendar: milliseconds since 1970, now.
    package init(continuing superblock: Superblock, boot: BootID, now: Instant, calendar: UInt64) {
        guard superblock.machine.boot != boot else {
            base = min(max(superblock.clockBase, -Self.baseMax), Self.baseMax)
            return
        }
        let closed = superblock.closed?.milliseconds ?? 0
        let earlier = superblock.machine.calendar
        let off =
            calendar >= earlier
            ? min(calendar - earlier, Self.unknownMilliseconds) : Self.unknownMilliseconds
        base = Int64(closed + off) - Int64(now.milliseconds)
    }

    /// The tier's time at an instant. Up to a millisecond early.
    package func time(at instant: Instant) -> TierTime {
        let milliseconds = Int64(instant.milliseconds) + base
        return TierTime(
            milliseconds: UInt64(clamping: min(milliseconds, Int64(TierTime.max.milliseconds))))
    }

    /// The tier's time so long before an instant, or its beginning.
    package func time(at instant: Instant, lessAge age: Duration) -> TierTime {
        let time = time(at: instant).milliseconds
        return TierTime(milliseconds: time - min(time, age.wholeMilliseconds))
    }

    /// How long before an instant a moment of the tier was; zero if it comes later.
    package func age(of time: TierTime, at instant: Instant) -> Duration {
        let now = self.time(at: instant)
        return time < now ? .milliseconds(Int64(now.milliseconds - time.milliseconds)) : .zero
    }

    /// The instant of a moment of the tier; `nil` if the machine was not running then. The end of
    /// time where it cannot be counted.
    package func instant(of time: TierTime) -> Instant? {
        let milliseconds = Int64(time.milliseconds) - base
        guard milliseconds >= 0 else { return nil }
        let (product, overflow) = UInt64(milliseconds).multipliedReportingOverflow(by: 1_000_000)
        return Instant(nanoseconds: overflow ? .max : product)
    }
}

extension Instant {
    fileprivate var milliseconds: UInt64 { nanoseconds / 1_000_000 }
}
