package import CacheModel

/// When the next key may be requested, if no reader waits for the values.
///
///     next ─▶ now · when an earlier one has ended · not before a moment
///                        │                              ▲
///                      ended ── well ─▶ window + 1/window
///                          └─ pushed back ─▶ window ÷ 2, and a rest
///
/// The caller gives two bounds: requests per second, and concurrent requests. Within the second
/// bound, a window shrinks when the other side has no capacity, and grows again while it has:
/// additive increase, multiplicative decrease. Keys are evenly spread over a second; requests
/// missed while the window was full are not caught up.
///
/// Pure: it receives the time, and uses no randomness.
package struct PrefetchPace: Equatable, Sendable {
    package enum Step: Equatable, Sendable {
        /// Request it now; it counts as requested.
        case ask
        /// The maximum number is under way.
        case full
        case rest(until: Instant)
    }

    /// Back-off if the other side states none: the first, and the longest.
    package static let restFirst = Duration.milliseconds(100)
    package static let restMax = Duration.seconds(5)
    /// The longest retry-after that is obeyed.
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
    ///   - perSecond: `nil` for as many as the window permits.
    ///   - inFlightMax: at least 1.
    package init(perSecond: Int?, inFlightMax: Int, now: Instant) {
        precondition(inFlightMax > 0, "where none may be under way nothing is ever asked for")
        interval = perSecond.map { .nanoseconds(1_000_000_000 / Int64(max(1, $0))) }
        windowMax = inFlightMax
        windowHundredths = inFlightMax * 100
        nextDue = now
        restsUntil = now
    }

    package var window: Int { max(1, windowHundredths / 100) }

    /// How long nothing may be requested because a request was pushed back.
    package func rest(now: Instant) -> Duration { restsUntil.elapsed(since: now) }

    package mutating func next(now: Instant) -> Step {
        guard inFlight < window else { return .full }
        let due = max(restsUntil, nextDue)
        guard due <= now else { return .rest(until: due) }
        inFlight += 1
        if let interval {
            // A loop that is late by less than a few keys keeps the rate; one that is later does
            // not catch up in a burst.
            let isLate = now.elapsed(since: nextDue) > interval * Self.lateKeysMax
            nextDue = (isLate ? now : nextDue).advanced(by: interval)
        }
        return .ask
    }

    private static let lateKeysMax = 8

    package mutating func endedWell() {
        inFlight -= 1
        restNext = Self.restFirst
        windowHundredths = min(windowMax * 100, windowHundredths + max(1, 100 / window))
    }

    /// A request was refused because of missing capacity, or because the breaker is open.
    ///
    /// Requests made together are refused together: only the first of them, after a back-off is
    /// over, shrinks the window.
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
