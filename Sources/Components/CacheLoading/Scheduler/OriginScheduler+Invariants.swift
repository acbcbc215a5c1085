import CacheModel

extension OriginScheduler {
    /// Invariants after every event. With few loads under way everything is checked, otherwise only
    /// now and then: a check of all of them at every event would be quadratic.
    mutating func checkInvariants(touching gate: GateNumber) {
        #if CACHE_CHECKED
            checkGate(gates[gate.index])
            checkCount += 1
            if loads.count <= 48 || checkCount % 1_024 == 0 { checkEverything() }
        #endif
    }

    #if CACHE_CHECKED
        private func checkGate(_ gate: OriginGate) {
            let (limit, flights, queue) = (gate.limit, gate.flights, gate.queue)
            precondition((1...limit.max).contains(limit.current), "the limit keeps its bounds")
            precondition(
                (0...OriginSchedulerLimits.budgetTenthsMax).contains(gate.budget.tenths),
                "the budget is neither overdrawn nor hoarded")
            guard let policy = gate.policy, gate.breaker.isClosed else {
                precondition(queue.count == 0, "no load waits at a closed gate")
                return
            }
            precondition(limit.max == max(1, policy.concurrencyMax), "the policy's limit holds")
            precondition(
                queue.count <= policy.queueMax || queue.count == queue.count(of: .resting),
                "no more wait than may")
            precondition(
                queue.count(of: .awaited) == 0 || flights.total >= limit.current,
                "no reader waits while there is a place")
        }

        /// - Complexity: O(loads + attempts + gates).
        func checkEverything() {
            precondition(alarms.count == loads.count, "every load has one alarm")
            precondition(alarms.heldCount <= 2 * loads.count + 64, "no alarm is kept for nothing")
            var flights = [Flights](repeating: Flights(), count: gates.count)
            for (number, attempt) in attempts {
                flights[attempt.gate.index].add(attempt.urgency)
                guard let ticket = attempt.ticket else { continue }
                guard case .trying(number) = loads[ticket]?.state else {
                    preconditionFailure("an attempt has a load, or is aborted")
                }
            }
            var waiting = [Int](repeating: 0, count: gates.count)
            for (ticket, load) in loads {
                check(ticket, load)
                if case .waiting = load.state { waiting[load.gate.index] += 1 }
            }
            for (index, gate) in gates.enumerated() {
                precondition(gate.flights == flights[index], "a gate counts its attempts")
                precondition(gate.queue.count == waiting[index], "a gate counts its waiting loads")
                precondition(
                    (gate.namespace == nil) == freeGates.contains(GateNumber(index: index)),
                    "a gate without a name is free")
            }
            precondition(gateNumbers.count + freeGates.count == gates.count, "no gate is lost")
        }

        private func check(_ ticket: LoadTicket, _ load: Load) {
            switch load.state {
            case .waiting(let place):
                let queue = gates[load.gate.index].queue
                precondition(queue.ticket(at: place) == ticket, "a waiting load is in the queue")
                let line = queue.line(of: place)
                precondition(
                    line == .resting || line == .init(load.urgency), "a load is in its line")
            case .trying(let number):
                let attempt = attempts[number]
                precondition(
                    attempt?.ticket == ticket && attempt?.urgency == load.urgency,
                    "a load under way has an attempt")
            }
        }
    #endif
}
