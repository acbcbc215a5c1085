package import CacheModel

extension OriginScheduler {
    /// An attempt is over, also an aborted one: its slot is free. Its load is answered, or backs
    /// off before it is retried. An unknown attempt changes nothing.
    ///
    /// - Complexity: O(log loads); when the breaker opens, for each load that waits for the origin.
    package mutating func finished(
        _ number: AttemptNumber, _ outcome: AttemptOutcome, now: Instant,
        into actions: inout [Action]
    ) {
        guard let attempt = attempts.removeValue(forKey: number) else { return }
        var change: OriginBreaker.Change?
        if let ticket = attempt.ticket, let load = loads[ticket] {
            let verdict = AttemptVerdict(of: outcome)
            change = weigh(verdict, of: attempt, now: now)
            if !rests(ticket, load, after: verdict, now: now) {
                conclude(ticket, load, outcome, now: now, into: &actions)
            }
        }
        gates[attempt.gate.index].landed(attempt)
        if change == .opened { answerBroken(at: attempt.gate, now: now, into: &actions) }
        settle(attempt.gate, now: now, into: &actions)
    }

    mutating func weigh(
        _ verdict: AttemptVerdict, of attempt: OpenAttempt, now: Instant
    ) -> OriginBreaker.Change? {
        gates[attempt.gate.index].weigh(
            verdict, of: attempt, newest: lastAttempt, now: now, &jitter)
    }

    /// Answers all loads that wait for an origin after its breaker has opened.
    mutating func answerBroken(
        at gate: GateNumber, now: Instant, into actions: inout [Action]
    ) {
        let retryAfter = gates[gate.index].breaker.pauseLeft(now: now)
        answerWaiting(at: gate, .broken, retryAfter: retryAfter, into: &actions)
    }

    /// Lets a load back off until its next attempt, if it may have one.
    private mutating func rests(
        _ ticket: LoadTicket, _ load: Load, after verdict: AttemptVerdict, now: Instant
    ) -> Bool {
        let rest = gates[load.gate.index].rest(of: load, after: verdict, now: now, &jitter)
        guard let rest else { return false }
        let place = gates[load.gate.index].queue.append(ticket, to: .resting, now: now)
        loads[ticket]?.state = .waiting(place)
        alarms.set(ticket, at: now.advanced(by: rest))
        return true
    }

    private mutating func conclude(
        _ ticket: LoadTicket, _ load: Load, _ outcome: AttemptOutcome, now: Instant,
        into actions: inout [Action]
    ) {
        switch outcome {
        case .answered(let reply):
            answer(ticket, .reply(reply), into: &actions)
        case .failed(let failure):
            let retryAfter = gates[load.gate.index].breaker.pauseLeft(now: now)
            answer(ticket, .failed(failure, retryAfter: retryAfter), into: &actions)
        }
    }
}
