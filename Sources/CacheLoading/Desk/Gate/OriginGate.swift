import CacheModel

/// What stands before one namespace's origin: who may go to it now, and who not.
///
/// It decides from counts and times; the loads themselves and their attempts are the desk's.
struct OriginGate {
    /// `nil`: the gate is free for another.
    let namespace: Namespace?
    /// `nil`: the namespace has no origin any more; the last attempts are awaited.
    var policy: OriginPolicy?
    var queue = LoadQueue()
    private(set) var limit = ConcurrencyLimit(max: 1)
    var budget = RetryBudget()
    var breaker = OriginBreaker()
    private(set) var answerTime = AnswerTime()
    var flights = Flights()
    private(set) var era = GateEra()
    /// Without how it stands: that is looked up when it is asked for.
    var counters = GateStatistics()

    init(namespace: Namespace?) {
        self.namespace = namespace
    }

    var isServing: Bool { policy != nil }

    /// Whether nobody would miss it.
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

    /// The namespace's policy is this one now. Another address is another origin, of which nothing
    /// is known; so is one that comes back before the last attempts at it were finished.
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
    mutating func started(_ attempt: Attempt, from place: LoadQueue.Place, isFirst: Bool) {
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

    /// An attempt is over: its place is free.
    mutating func landed(_ attempt: Attempt) {
        flights.remove(attempt.urgency)
        breaker.landed(attempt.number)
    }

    /// What an attempt says of the origin. One of an earlier era says nothing, and one that timed
    /// out without a fair share of its load's time neither.
    mutating func weigh(
        _ verdict: AttemptVerdict, of attempt: Attempt, newest: AttemptNumber, now: Instant,
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
