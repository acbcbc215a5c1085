import CacheModel

/// The gate in front of one namespace's origin: decides which loads may go to it now.
///
/// It decides from counts and times; the scheduler (``OriginDesk``) holds the loads themselves and
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
    private(set) var answerTime = AnswerTime()
    var flights = Flights()
    private(set) var era = GateEra()
    /// Counters only: the current state is added on request.
    var counters = GateStatistics()

    init(namespace: Namespace?) {
        self.namespace = namespace
    }

    var isServing: Bool { policy != nil }

    /// Whether it can be released.
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
            answerTime = AnswerTime()
            era.turn()
        }
        policy = newPolicy
    }

    /// An attempt went to the origin.
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
            answerTime.learn(now.elapsed(since: attempt.startedAt))
        }
        let change = breaker.heard(verdict, now: now, pause: policy.breakerPause, &jitter)
        switch change {
        case .opened:
            era.turn()
            counters.opened += 1
        case .closed: limit.startSlowly()
        case nil: break
        }
        return change
    }
}
