import CacheModel

extension OriginScheduler {
    /// Ends every event that touched a gate: starts loads that may start, refuses those without
    /// space, and releases a gate that is no longer needed.
    mutating func settle(_ gate: GateNumber, now: Instant, into actions: inout [Action]) {
        takeTurns(at: gate, now: now, into: &actions)
        relieve(gate, into: &actions)
        releaseIfDone(gate)
        checkInvariants(touching: gate)
    }

    /// - Complexity: O(log loads) for each load that starts or turns out to be over.
    private mutating func takeTurns(
        at gate: GateNumber, now: Instant, into actions: inout [Action]
    ) {
        while let place = gates[gate.index].nextTurn(now: now) {
            let ticket = gates[gate.index].queue.ticket(at: place)
            guard let load = loads[ticket] else {
                preconditionFailure("a ticket in the queue has a load")
            }
            if gates[gate.index].comesTooLate(load, now: now) {
                expire(ticket, load, now: now, into: &actions)
            } else {
                start(ticket, load, now: now, into: &actions)
            }
        }
    }

    private mutating func start(
        _ ticket: LoadTicket, _ load: Load, now: Instant, into actions: inout [Action]
    ) {
        guard case .waiting(let place) = load.state, let policy = gates[load.gate.index].policy
        else { preconditionFailure("a load whose turn it is waits at a gate with an origin") }
        var request = load.request
        request.policy = policy
        request.timeout = load.timeLeft(now: now)
        lastAttempt = lastAttempt.next
        let attempt = OpenAttempt(
            number: lastAttempt, ticket: ticket, gate: load.gate, urgency: load.urgency,
            startedAt: now, era: gates[load.gate.index].era,
            hadFairTime: load.hasFairTime(now: now))
        attempts[lastAttempt] = attempt
        loads[ticket]?.state = .trying(lastAttempt)
        loads[ticket]?.attemptCount += 1
        gates[load.gate.index].started(attempt, from: place, isFirst: load.attemptCount == 0)
        actions.append(.start(lastAttempt, request))
    }

    /// Refuses the newest of the least urgent while too many wait.
    private mutating func relieve(_ gate: GateNumber, into actions: inout [Action]) {
        while let place = gates[gate.index].placeTooMany {
            let ticket = gates[gate.index].queue.ticket(at: place)
            let retryAfter = gates[gate.index].turnGuess
            answer(ticket, .failed(.overloaded, retryAfter: retryAfter), into: &actions)
        }
    }

    mutating func answer(
        _ ticket: LoadTicket, _ answer: LoadAnswer, into actions: inout [Action]
    ) {
        guard let load = forget(ticket) else { return }
        gates[load.gate.index].counters.note(answer)
        actions.append(.answer(ticket, answer))
    }

    /// Ends every load that waits or rests at a gate, the most urgent first.
    ///
    /// - Complexity: O(n log n) for n that wait.
    mutating func answerWaiting(
        at gate: GateNumber, _ failure: LoadFailure, retryAfter: Duration?,
        into actions: inout [Action]
    ) {
        while let place = gates[gate.index].queue.first {
            let ticket = gates[gate.index].queue.ticket(at: place)
            answer(ticket, .failed(failure, retryAfter: retryAfter), into: &actions)
        }
    }

    /// Removes a load. The caller handles its attempt, if there is one.
    mutating func forget(_ ticket: LoadTicket) -> Load? {
        guard let load = loads.removeValue(forKey: ticket) else { return nil }
        alarms.clear(ticket)
        if case .waiting(let place) = load.state { gates[load.gate.index].queue.remove(place) }
        return load
    }

    /// Aborts an attempt of a load that is gone. It keeps its slot.
    mutating func abort(_ attempt: AttemptNumber, into actions: inout [Action]) {
        attempts[attempt]?.ticket = nil
        actions.append(.abort(attempt))
    }
}
