import CacheModel

/// The gate in front of one namespace's origin: decides which loads may go to it now.
///
/// It decides from counts and times; the ``OriginScheduler`` holds the loads themselves and
/// their attempts.
struct OriginGate {
    /// `nil`: the gate is free for another namespace.
    let namespace: Namespace?
    /// `nil`: the namespace no longer has an origin; the last attempts are awaited.
    var policy: OriginPolicy?
    var queue = LoadQueue()
    private(set) var limit = ConcurrencyLimit(max: 1)
    var budget = RetryBudget()
    var breaker = OriginBreaker()
    /// The recent duration of good answers, an exponentially weighted mean; `nil`: no answer yet.
    private(set) var typicalAnswer: Duration?
    var flights = Flights()
    /// A new era begins when the breaker opens and when the origin's address changes: attempts
    /// started earlier say nothing about the origin after that.
    private(set) var era: UInt64 = 0
    /// Counters only: the current state is added on request.
    var counters = GateStatistics()

    init(namespace: Namespace?) {
        self.namespace = namespace
    }

    var isServing: Bool { policy != nil }

    var isDone: Bool { policy == nil && flights.total == 0 && queue.count == 0 }

    var statistics: GateStatistics {
        var statistics = counters
        statistics.inFlight = flights.total
        statistics.waiting = queue.count
        statistics.limit = limit.current
        statistics.breaker =
            switch breaker.state {
            case .closed: .closed
            case .open: .open
            case .halfOpen: .halfOpen
            }
        return statistics
    }

    /// Sets the namespace's policy. Another address is another origin, of which nothing is known;
    /// so is an origin that returns before its last attempts were finished.
    mutating func adopt(_ newPolicy: OriginPolicy) {
        if policy?.url == newPolicy.url {
            limit.bound(by: newPolicy.concurrencyMax)
        } else {
            limit = ConcurrencyLimit(max: newPolicy.concurrencyMax)
            budget = RetryBudget()
            breaker = OriginBreaker()
            typicalAnswer = nil
            era += 1
        }
        policy = newPolicy
    }

    mutating func started(_ attempt: OpenAttempt, from place: LoadQueue.Place, isFirst: Bool) {
        precondition(flights.total < limit.max, "never more attempts than the policy allows")
        queue.remove(place)
        flights.add(attempt.urgency)
        breaker.started(attempt.number)
        if isFirst {
            budget.earn()
            counters.started += 1
        } else {
            counters.retried += 1
        }
    }

    /// An attempt is over: its slot is free.
    mutating func landed(_ attempt: OpenAttempt) {
        flights.remove(attempt.urgency)
        breaker.landed(attempt.number)
    }

    /// Evaluates what an attempt says about the origin. An attempt of an earlier era is ignored,
    /// and so is one that timed out without a fair share of its load's time.
    mutating func weigh(
        _ verdict: AttemptVerdict, of attempt: OpenAttempt, newest: AttemptNumber, now: Instant,
        _ jitter: inout Jitter
    ) -> OriginBreaker.Change? {
        guard let policy, attempt.era == era else { return nil }
        guard verdict.failure != .timedOut || attempt.hadFairTime else { return nil }
        if verdict.isCongestion {
            limit.congested(attempt.number, newest: newest)
        } else if verdict.health == .good {
            limit.good(attempt.number, inFlight: flights.total)
            let elapsed = now.elapsed(since: attempt.startedAt)
            typicalAnswer =
                typicalAnswer.map { $0 + (elapsed - $0) / OriginSchedulerLimits.answerTimeDivisor }
                ?? elapsed
        }
        let change = breaker.heard(verdict, now: now, pause: policy.breakerPause, &jitter)
        switch change {
        case .opened:
            era += 1
            counters.opened += 1
        case .closed: limit.startSlowly()
        case nil: break
        }
        return change
    }
}

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

    var current: Int { Int(exact) }

    /// Slots that refreshes and prefetches may use together.
    var refreshMax: Int { Self.share(of: current, OriginSchedulerLimits.refreshDivisor) }

    /// Slots that prefetches may use.
    var prefetchMax: Int { Self.share(of: current, OriginSchedulerLimits.prefetchDivisor) }

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
        exact = Swift.max(1, exact * OriginSchedulerLimits.congestionFactor)
        lastUnheard = newest
    }

    /// The origin has just recovered: the limit becomes a tenth of its maximum, at least one. A
    /// larger limit would let the waiting loads overload it again.
    mutating func startSlowly() {
        exact = Swift.max(1, Double(max / OriginSchedulerLimits.slowStartDivisor))
    }

    /// Sets a new maximum. A limit that was never reached grows with it at once; otherwise it grows
    /// step by step.
    mutating func bound(by newMax: Int) {
        let wasAtMax = current == max
        max = Swift.max(1, newMax)
        exact = wasAtMax ? Double(max) : min(exact, Double(max))
    }
}

/// The number of attempts at the origin, by urgency; aborted ones count until they are finished.
struct Flights: Equatable {
    private var counts = [Int](repeating: 0, count: LoadUrgency.allCases.count)
    private(set) var total = 0

    subscript(urgency: LoadUrgency) -> Int { counts[Int(urgency.rawValue)] }

    mutating func add(_ urgency: LoadUrgency) {
        counts[Int(urgency.rawValue)] += 1
        total += 1
    }

    mutating func remove(_ urgency: LoadUrgency) {
        precondition(self[urgency] > 0, "what lands was under way")
        counts[Int(urgency.rawValue)] -= 1
        total -= 1
    }
}

/// The index of a namespace's gate in its scheduler. Reused after a namespace has lost its origin.
struct GateNumber: Hashable, Sendable {
    let index: Int
}
