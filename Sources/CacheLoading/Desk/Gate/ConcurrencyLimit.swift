/// How many attempts may be at an origin at a time, between 1 and the namespace's own maximum:
/// additive increase, multiplicative decrease [1].
///
/// It begins at the maximum. That is what the operator says the origin bears; a cold node needs all
/// of it at once, and if it is too much, a few rounds of congestion say so.
///
/// An attempt speaks of the limit it was started under: after a decrease, those that were started
/// before are not heard any more, so that one jam is one decrease, however many attempts are in it.
/// (TCP does the same with its recovery point [2].)
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

    /// Places that refreshes and prefetches may take together.
    var refreshMax: Int { Self.share(of: current, DeskLimits.refreshDivisor) }

    /// Places that prefetches may take.
    var prefetchMax: Int { Self.share(of: current, DeskLimits.prefetchDivisor) }

    private static func share(of places: Int, _ divisor: Int) -> Int {
        (places + divisor - 1) / divisor
    }

    /// A good answer: about one more place for as many of them as there are places, if at least
    /// half of these were taken. A limit that is not felt has not been tried.
    ///
    /// - Parameter inFlight: attempts at the origin when the answer came, this one included.
    mutating func good(_ attempt: AttemptNumber, inFlight: Int) {
        guard attempt > lastUnheard, inFlight * 2 >= current else { return }
        exact = min(Double(max), exact + 1 / exact)
    }

    /// The origin could not keep up.
    ///
    /// - Parameter newest: the last attempt that was started.
    mutating func congested(_ attempt: AttemptNumber, newest: AttemptNumber) {
        guard attempt > lastUnheard else { return }
        exact = Swift.max(1, exact * DeskLimits.congestionFactor)
        lastUnheard = newest
    }

    /// The origin has just come back: a tenth of its places, at least one. The rest has to be
    /// earned, or the herd that waited would fell it again.
    mutating func startSlowly() {
        exact = Swift.max(1, Double(max / DeskLimits.slowStartDivisor))
    }

    /// A new maximum. A limit that was never felt goes up with it; another has to grow.
    mutating func bound(by newMax: Int) {
        let wasAtMax = current == max
        max = Swift.max(1, newMax)
        exact = wasAtMax ? Double(max) : min(exact, Double(max))
    }
}
