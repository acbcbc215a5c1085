package import CacheModel

extension OriginDesk {
    /// When to call `timeIsUp`; `nil`: nothing is under way. It may be in the past if a call could
    /// not do everything: then call again.
    package var nextDeadline: Instant? { alarms.next }

    /// Handles loads after their back-off or deadline.
    ///
    /// - Complexity: O(log loads) for each that is due, at most `DeskLimits.dueMax` of them.
    package mutating func timeIsUp(now: Instant, into actions: inout [Action]) {
        for _ in 0..<DeskLimits.dueMax {
            guard let ticket = alarms.takeDue(now: now), let load = loads[ticket] else { return }
            if load.deadline <= now {
                expire(ticket, load, now: now, into: &actions)
            } else {
                endRest(of: ticket, load, now: now)
            }
            settle(load.gate, now: now, into: &actions)
        }
    }

    private mutating func endRest(of ticket: LoadTicket, _ load: Load, now: Instant) {
        guard case .waiting(let place) = load.state else {
            preconditionFailure("only a resting load has an alarm before its deadline")
        }
        gates[load.gate.index].queue.move(place, to: .init(load.urgency), now: now)
        alarms.set(ticket, at: load.deadline)
    }

    /// A load's time is over, or too short for a turn: `.overloaded` if it got no turn, `.timedOut`
    /// if it did.
    mutating func expire(
        _ ticket: LoadTicket, _ load: Load, now: Instant, into actions: inout [Action]
    ) {
        guard case .trying(let number) = load.state, let attempt = attempts[number] else {
            return answer(ticket, waitedInVain(load), into: &actions)
        }
        abort(number, into: &actions)
        answer(ticket, .failed(.timedOut, retryAfter: nil), into: &actions)
        if weigh(.timedOut, of: attempt, now: now) == .opened {
            answerBroken(at: load.gate, now: now, into: &actions)
        }
    }

    private func waitedInVain(_ load: Load) -> LoadAnswer {
        load.attemptCount == 0
            ? .failed(.overloaded, retryAfter: gates[load.gate.index].turnGuess)
            : .failed(.timedOut, retryAfter: nil)
    }
}
