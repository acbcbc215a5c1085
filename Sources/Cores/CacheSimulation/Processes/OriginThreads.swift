import CacheLoading
import CacheModel
import CacheNodeCore

/// The origin threads of nodes: the counterpart of the server's OriginLoop, in the same order.
struct OriginThreads: WorldPart {
    let nodes: SimulatedNodes
    let origin: SimulatedOrigin
    let loads: LoadJudge

    var timeline: Timeline { nodes.timeline }

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
        thread.scheduler.timeIsUp(now: clock, into: &thread.actions)
        try perform(thread, run)
        try loads.judgeScheduler(thread, run, clock)
        guard let deadline = thread.scheduler.nextDeadline else { return }
        nodes.wakeOrigin(run, at: max(soon(), run.clock.time(of: deadline) + .milliseconds(1)))
    }

    private func take(
        _ letter: SimulatedOriginThread.Letter, _ thread: SimulatedOriginThread, _ clock: Instant
    ) {
        switch letter {
        case .policies:
            let policies = settings.policies.compactMapValues(\.origin)
            thread.scheduler.configure(policies, now: clock, into: &thread.actions)
        case .load(let shard, let load):
            let ticket = LoadTicket(shard: UInt16(shard), number: load.number)
            thread.requests[ticket] = (load.request, clock)
            thread.scheduler.ask(
                LoadOrder(ticket: ticket, request: load.request, urgency: load.urgency),
                now: clock, into: &thread.actions)
        case .hasten(let shard, let number):
            thread.scheduler.hasten(
                LoadTicket(shard: UInt16(shard), number: number), to: .awaited, now: clock,
                into: &thread.actions)
        case .finished(let number, let outcome):
            thread.scheduler.finished(number, outcome, now: clock, into: &thread.actions)
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
                try loads.judgeLimit(of: request, thread, run)
                plan(.attemptIsRead(run: run.number, number), within: 10...5_000)
            case .abort(let number):
                guard thread.attempts.removeValue(forKey: number) != nil else { continue }
                nodes.postToOrigin(.finished(number, .failed(.cancelled)), run)
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
            fill = SimulatedOrigin.fill(of: reply)
        case .failed(let failure, let retryAfter):
            outcome = .failed(failure, retryAfter: retryAfter)
        }
        let shard = run.shards[Int(ticket.shard)]
        shard.letters.append(.loadEnded(number: ticket.number, outcome, fill: fill))
        // The servers never do this; a shard ignores unknown loads.
        if !isCalm, dice.chance(perMille: 10) {
            shard.letters.append(.loadEnded(number: ticket.number, outcome, fill: fill))
        }
        nodes.wake(shard, at: soon())
    }

    // MARK: The origin

    /// The database is read for an attempt; the answer arrives later.
    func attemptIsRead(_ run: SimulatedRun, _ number: AttemptNumber) {
        guard !run.isDead, let thread = run.originThread, let attempt = thread.attempts[number],
            let (outcome, span) = origin.answer(to: attempt)
        else { return }
        thread.attempts[number]?.outcome = outcome
        timeline.add(.attemptEnds(run: run.number, number), at: now + span)
    }

    func attemptEnds(_ run: SimulatedRun, _ number: AttemptNumber) {
        guard !run.isDead, let thread = run.originThread,
            let outcome = thread.attempts.removeValue(forKey: number)?.outcome
        else { return }
        nodes.postToOrigin(.finished(number, outcome), run)
    }
}

/// The thread between a node's shards and its origins: the real core, its mailbox, and attempts in
/// flight.
final class SimulatedOriginThread {
    /// Messages from other threads, the same as the server's.
    enum Letter {
        case policies
        case load(shard: Int, ShardLoad)
        case hasten(shard: Int, number: UInt64)
        case finished(AttemptNumber, AttemptOutcome)
    }

    /// One request at the origin.
    struct Attempt {
        let request: OriginRequest
        let began: WorldTime
        /// `nil` until the database was read for it.
        var outcome: AttemptOutcome?
    }

    var scheduler: OriginScheduler
    var letters: [Letter] = []
    var actions: [OriginScheduler.Action] = []
    /// The request of each load, and its time.
    var requests: [LoadTicket: (request: OriginRequest, askedAt: Instant)] = [:]
    var attempts: [AttemptNumber: Attempt] = [:]
    var turnAt: WorldTime?

    init(seed: UInt64) {
        scheduler = OriginScheduler(seed: seed)
    }
}
