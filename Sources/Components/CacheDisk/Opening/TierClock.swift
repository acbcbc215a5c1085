package import CacheModel

/// Converts between a process's instants and its tier's time.
///
/// Instants count from the machine's boot, so until the next boot the two differ by a constant,
/// also across restarts of the process. At a boot the calendar tells how long the machine was off.
package struct TierClock: Equatable, Sendable {
    /// The tier's time less the boot's clock, in milliseconds.
    package let base: Int64

    /// More than any two moments differ; with this bound the sums below do not overflow.
    private static let baseMax = Int64(TierTime.max.milliseconds)

    /// Longer than any entry lives, including its stale windows. If the time that the machine was
    /// off is unknown, a tier's time is advanced by this: every entry with a TTL has expired.
    private static let unknownMilliseconds = 2 * LifetimeLimits.longest.wholeMilliseconds

    /// Whether a tier closed at that time has enough time left: each boot may use up the longest
    /// lifetime of an entry, and at the end of time nothing would expire any more.
    package static func canContinue(from closed: TierTime) -> Bool {
        closed.milliseconds <= TierTime.max.milliseconds / 2
    }

    /// Start of a new tier's time, a thousand days, so that entries stored elsewhere before can
    /// have an age.
    package static let first = TierTime(milliseconds: 1_000 * 86_400_000)

    /// The clock of a new tier: its time starts at ``first``.
    package init(startingAt now: Instant) {
        base = Int64(Self.first.milliseconds) - Int64(now.milliseconds)
    }

    /// The clock of a tier that is continued.
    ///
    /// - Parameter calendar: now, in milliseconds since 1970.
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

    /// The tier's time so long before an instant, at least 0.
    package func time(at instant: Instant, lessAge age: Duration) -> TierTime {
        let time = time(at: instant).milliseconds
        return TierTime(milliseconds: time - min(time, age.wholeMilliseconds))
    }

    /// How long before an instant a tier time was; zero if it is later.
    package func age(of time: TierTime, at instant: Instant) -> Duration {
        let now = self.time(at: instant)
        return time < now ? .milliseconds(Int64(now.milliseconds - time.milliseconds)) : .zero
    }

    /// The instant of a tier time; `nil` if it precedes the boot. The end of time if it cannot be
    /// represented.
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
