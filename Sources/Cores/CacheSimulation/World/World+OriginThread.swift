import CacheLoading
import CacheModel
import CacheNodeCore

/// A node's origin thread: the counterpart of the server's OriginLoop, in the same order.
extension World {
    func postToOrigin(_ letter: SimulatedOriginThread.Letter, _ run: SimulatedRun) {
        guard let thread = run.originThread else { return }
        thread.letters.append(letter)
        wakeOrigin(run, at: soon())
    }

    func wakeOrigin(_ run: SimulatedRun, at time: WorldTime) {
        guard let thread = run.originThread else { return }
        if let planned = thread.turnAt, planned <= time { return }
        thread.turnAt = time
        queue.add(.originThreadTurns(run: run.number), at: time)
    }

    func originThreadTurn(_ run: SimulatedRun) throws(Violation) {
        guard let thread = run.originThread, thread.turnAt == now else { return }
        thread.turnAt = nil
        guard run.runs else { return }
        let clock = run.clock.reading(at: now)
        let letters = thread.letters
        thread.letters = []
        for letter in letters {
            take(letter, thread, clock)
            try perform(thread, run)
        }
        thread.desk.timeIsUp(now: clock, into: &thread.actions)
        try perform(thread, run)
        try judgeDesk(thread, run, clock)
        guard let deadline = thread.desk.nextDeadline else { return }
        wakeOrigin(run, at: max(soon(), run.clock.time(of: deadline) + .milliseconds(1)))
    }

    private func take(
        _ letter: SimulatedOriginThread.Letter, _ thread: SimulatedOriginThread, _ clock: Instant
    ) {
        switch letter {
        case .policies:
            let policies = settings.policies.compactMapValues(\.origin)
            thread.desk.configure(policies, now: clock, into: &thread.actions)
        case .load(let shard, let load):
            let ticket = LoadTicket(shard: UInt16(shard), number: load.number)
            thread.requests[ticket] = (load.request, clock)
            thread.desk.ask(
                LoadOrder(ticket: ticket, request: load.request, urgency: load.urgency),
                now: clock, into: &thread.actions)
        case .hasten(let shard, let number):
            thread.desk.hasten(
                LoadTicket(shard: UInt16(shard), number: number), to: .awaited, now: clock,
                into: &thread.actions)
        case .finished(let number, let outcome):
            thread.desk.finished(number, outcome, now: clock, into: &thread.actions)
        }
    }

    private func perform(
        _ thread: SimulatedOriginThread, _ run: SimulatedRun
    ) throws(Violation) {
        let due = thread.actions
        thread.actions.removeAll(keepingCapacity: true)
        for action in due {
            switch action {
            case .start(let number, let request):
                thread.attempts[number] = .init(request: request, began: now)
                try judgeLimit(of: request, thread, run)
                plan(.attemptIsRead(run: run.number, number), within: 10...5_000)
            case .abort(let number):
                guard thread.attempts.removeValue(forKey: number) != nil else { continue }
                postToOrigin(.finished(number, .failed(.cancelled)), run)
            case .answer(let ticket, let answer): tell(ticket, answer, thread, run)
            }
        }
    }

    /// The origin's reply is parsed here, because shards do not parse.
    private func tell(
        _ ticket: LoadTicket, _ answer: LoadAnswer, _ thread: SimulatedOriginThread,
        _ run: SimulatedRun
    ) {
        guard let (request, _) = thread.requests.removeValue(forKey: ticket) else { return }
        let outcome: LoadOutcome
        var fill: Int?
        switch answer {
        case .reply(let reply):
            outcome = AnswerReader.read(reply, to: request)
            fill = Self.fill(of: reply)
        case .failed(let failure, let retryAfter):
            outcome = .failed(failure, retryAfter: retryAfter)
        }
        let shard = run.shards[Int(ticket.shard)]
        shard.letters.append(.loadEnded(number: ticket.number, outcome, fill: fill))
        // The servers never do this; a shard ignores unknown loads.
        if !isCalm, dice.chance(perMille: 10) {
            shard.letters.append(.loadEnded(number: ticket.number, outcome, fill: fill))
        }
        wake(shard, at: soon())
    }
}
