/// The number of attempts that may be in flight at an origin, between 1 and the namespace's own
/// maximum: additive increase, multiplicative decrease [1].
///
/// It begins at the maximum, the load that the operator considers safe for the origin. A cold node
/// needs all of it at once, and if it is too much, a few rounds of congestion reduce it.
///
/// An attempt counts only for the limit under which it was started: after a decrease, earlier
/// attempts are ignored, so that one congestion causes one decrease, however many attempts are
/// affected. (TCP does the same with its recovery point [2].)
///
/// [1] Chiu, Jain: Analysis of the increase and decrease algorithms for congestion avoidance in
///     computer networks, 1989.
/// [2] RFC 6582.
struct ConcurrencyLimit {
    /// At least 1.
    private(set) var max: Int
    private var exact: Double
    /// Attempts up to this one were started before the last decrease.
    private var lastUnheard = AttemptNumber.none

    init(max: Int) {
        self.max = Swift.max(1, max)
        exact = Double(self.max)
    }

    /// 1 to `max`.
    var current: Int { Int(exact) }

    /// Slots that refreshes and prefetches may use together.
    var refreshMax: Int { Self.share(of: current, DeskLimits.refreshDivisor) }

    /// Slots that prefetches may use.
    var prefetchMax: Int { Self.share(of: current, DeskLimits.prefetchDivisor) }

    private static func share(of places: Int, _ divisor: Int) -> Int {
        (places + divisor - 1) / divisor
    }

    /// A good answer: the limit grows by about one for each full limit of good answers, if at least
    /// half of the slots were used. A limit that is never reached has not been tested.
    ///
    /// - Parameter inFlight: attempts at the origin when the answer came, this one included.
    mutating func good(_ attempt: AttemptNumber, inFlight: Int) {
        guard attempt > lastUnheard, inFlight * 2 >= current else { return }
        exact = min(Double(max), exact + 1 / exact)
    }

    /// The origin was overloaded.
    ///
    /// - Parameter newest: the last attempt that was started.
    mutating func congested(_ attempt: AttemptNumber, newest: AttemptNumber) {
        guard attempt > lastUnheard else { return }
        exact = Swift.max(1, exact * DeskLimits.congestionFactor)
        lastUnheard = newest
    }

    /// The origin has just recovered: the limit becomes a tenth of its maximum, at least one. A
    /// larger limit would let the waiting loads overload it again.
    mutating func startSlowly() {
        exact = Swift.max(1, Double(max / DeskLimits.slowStartDivisor))
    }

    /// Sets a new maximum. A limit that was never reached grows with it at once; otherwise it grows
    /// step by step.
    mutating func bound(by newMax: Int) {
        let wasAtMax = current == max
        max = Swift.max(1, newMax)
        exact = wasAtMax ? Double(max) : min(exact, Double(max))
    }
}
