package import CacheModel

/// When the next key may be asked for, where nobody waits for the values.
///
///     next ─▶ now · when an earlier one has ended · not before a moment
///                        │                              ▲
///                      ended ── well ─▶ window + 1/window
///                          └─ pushed back ─▶ window ÷ 2, and a rest
///
/// Two bounds that the asker gives: so many a second, and so many at a time. Inside of the second
/// one there is a window that shrinks when the other side has no room, and opens again while it
/// has: additive increase, multiplicative decrease. Keys are evenly spread over a second; what was
/// not asked for while the window was full is not made up for.
///
/// Pure: it is told the time, and rolls no dice.
package struct PrefetchPace: Equatable, Sendable {
    /// What to do about the next key.
    package enum Step: Equatable, Sendable {
        /// Ask for it now; it counts as asked for.
        case ask
        /// As many are under way as may be.
        case full
        /// Nothing before that moment.
        case rest(until: Instant)
    }

    /// Rests where the other side does not say how long: the first, and the longest.
    package static let restFirst = Duration.milliseconds(100)
    package static let restMax = Duration.seconds(5)
    /// The longest that the other side is obeyed.
    package static let retryAfterMax = Duration.seconds(60)

    private let interval: Duration?
    private let windowMax: Int
    /// In hundredths.
    private var windowHundredths: Int
    private var nextDue: Instant
    private var restsUntil: Instant
    private var restNext = PrefetchPace.restFirst
    package private(set) var inFlight = 0

    /// - Parameters:
    ///   - perSecond: `nil` for as many as the window lets through.
    ///   - inFlightMax: at least 1.
    package init(perSecond: Int?, inFlightMax: Int, now: Instant) {
        precondition(inFlightMax > 0, "where none may be under way nothing is ever asked for")
        interval = perSecond.map { .nanoseconds(1_000_000_000 / Int64(max(1, $0))) }
        windowMax = inFlightMax
        windowHundredths = inFlightMax * 100
        nextDue = now
        restsUntil = now
    }

    /// How many may be under way now.
    package var window: Int { max(1, windowHundredths / 100) }

    /// How long nothing is to be asked for because somebody was pushed back.
    package func rest(now: Instant) -> Duration { restsUntil.elapsed(since: now) }

    package mutating func next(now: Instant) -> Step {
        guard inFlight < window else { return .full }
        let due = max(restsUntil, nextDue)
        guard due <= now else { return .rest(until: due) }
        inFlight += 1
        if let interval {
            // A loop that looks late by less than a few keys keeps the rate; one that was held up
            // by more does not catch up in a burst.
            let isLate = now.elapsed(since: nextDue) > interval * Self.lateKeysMax
            nextDue = (isLate ? now : nextDue).advanced(by: interval)
        }
        return .ask
    }

    private static let lateKeysMax = 8

    /// One that was asked for has come to its end.
    package mutating func endedWell() {
        inFlight -= 1
        restNext = Self.restFirst
        windowHundredths = min(windowMax * 100, windowHundredths + max(1, 100 / window))
    }

    /// One was sent away because there was no room, or because the origin is left alone.
    ///
    /// Those that were asked for together are sent away together: only the first of them, after a
    /// rest is over, makes the window smaller.
    package mutating func pushedBack(retryAfter: Duration?, now: Instant) {
        inFlight -= 1
        let isFirst = restsUntil <= now
        let asked = retryAfter.map { min($0, Self.retryAfterMax) } ?? restNext
        restsUntil = max(restsUntil, now.advanced(by: asked))
        guard isFirst else { return }
        windowHundredths = max(100, windowHundredths / 2)
        restNext = min(Self.restMax, restNext * 2)
    }
}
