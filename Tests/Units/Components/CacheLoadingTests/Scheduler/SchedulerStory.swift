import CacheLoading
import CacheModel

/// A scheduler with one namespace, told as a transcript: events in, lines of text out.
///
///     start 3 k7 4900ms        attempt 3 goes for the key of load 7, and has 4.9 seconds
///     abort 3
///     answer 7 200             the reply, by status
///     answer 7 broken 5000ms   a failure, and when to come back
struct SchedulerStory {
    static let reply = AttemptOutcome.answered(status: 200)

    var scheduler: OriginScheduler
    var now = Instant(nanoseconds: 1_000_000_000_000)
    var policy = OriginPolicy(url: "http://origin.test/{key}")

    init(seed: UInt64 = 1, _ adjust: (inout OriginPolicy) -> Void = { _ in }) {
        scheduler = OriginScheduler(seed: seed)
        adjust(&policy)
        _ = configure()
    }

    var statistics: GateStatistics { scheduler.statistics(of: .default) ?? GateStatistics() }

    mutating func configure(_ adjust: (inout OriginPolicy) -> Void = { _ in }) -> [String] {
        adjust(&policy)
        let policies = [Namespace.default: policy]
        return tell { scheduler, now, actions in
            scheduler.configure(policies, now: now, into: &actions)
        }
    }

    mutating func loseOrigin() -> [String] {
        tell { scheduler, now, actions in scheduler.configure([:], now: now, into: &actions) }
    }

    mutating func ask(
        _ number: UInt64, _ urgency: LoadUrgency = .awaited, timeout: Duration? = nil
    ) -> [String] {
        guard let key = CacheKey("k\(number)") else { return ["no key"] }
        let request = OriginRequest(
            namespace: .default, key: key, policy: policy, valueBytesMax: 1_000,
            timeout: timeout ?? policy.timeout)
        let order = LoadOrder(ticket: Self.ticket(number), request: request, urgency: urgency)
        return tell { scheduler, now, actions in scheduler.ask(order, now: now, into: &actions) }
    }

    mutating func ask(_ numbers: ClosedRange<UInt64>, _ urgency: LoadUrgency = .awaited) -> [String]
    {
        numbers.flatMap { ask($0, urgency) }
    }

    mutating func finish(_ attempt: UInt64, _ outcome: AttemptOutcome = Self.reply) -> [String] {
        tell { scheduler, now, actions in
            scheduler.finished(AttemptNumber(attempt), outcome, now: now, into: &actions)
        }
    }

    mutating func finish(_ attempt: UInt64, status: Int) -> [String] {
        finish(attempt, .answered(status: status))
    }

    mutating func finish(
        _ attempts: ClosedRange<UInt64>, _ outcome: AttemptOutcome = Self.reply
    ) -> [String] {
        attempts.flatMap { finish($0, outcome) }
    }

    mutating func cancel(_ number: UInt64) -> [String] {
        tell { scheduler, now, actions in
            scheduler.cancel(Self.ticket(number), now: now, into: &actions)
        }
    }

    mutating func hasten(_ number: UInt64, to urgency: LoadUrgency = .awaited) -> [String] {
        tell { scheduler, now, actions in
            scheduler.hasten(Self.ticket(number), to: urgency, now: now, into: &actions)
        }
    }

    /// Lets time pass, and calls whenever the scheduler wants to be called.
    mutating func wait(_ duration: Duration) -> [String] {
        let end = now.advanced(by: duration)
        var lines: [String] = []
        while let deadline = scheduler.nextDeadline, deadline <= end {
            now = max(now, deadline)
            lines += tell { scheduler, now, actions in scheduler.timeIsUp(now: now, into: &actions)
            }
        }
        now = end
        return lines
    }

    private mutating func tell(
        _ event: (inout OriginScheduler, Instant, inout [OriginScheduler.Action]) -> Void
    ) -> [String] {
        var actions: [OriginScheduler.Action] = []
        event(&scheduler, now, &actions)
        return actions.map(Self.line)
    }

    static func ticket(_ number: UInt64) -> LoadTicket { LoadTicket(shard: 0, number: number) }

    private static func line(_ action: OriginScheduler.Action) -> String {
        switch action {
        case .start(let attempt, let request):
            "start \(attempt.rawValue) \(request.key) \(request.timeout.wholeMilliseconds)ms"
        case .abort(let attempt):
            "abort \(attempt.rawValue)"
        case .answer(let ticket, .reply(let reply)):
            "answer \(ticket.number) \(reply.status)"
        case .answer(let ticket, .failed(let failure, nil)):
            "answer \(ticket.number) \(failure)"
        case .answer(let ticket, .failed(let failure, let retryAfter?)):
            "answer \(ticket.number) \(failure) \(retryAfter.wholeMilliseconds)ms"
        }
    }
}

extension AttemptOutcome {
    static func answered(status: Int, retryAfter: String? = nil) -> AttemptOutcome {
        let fields = retryAfter.map { [OriginField(name: "Retry-After", value: $0)] } ?? []
        return .answered(
            OriginReply(status: status, fields: fields, body: [1], elapsed: .milliseconds(1)))
    }
}
