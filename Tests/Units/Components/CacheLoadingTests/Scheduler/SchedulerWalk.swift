import CacheLoading
import CacheModel
import Testing

@testable import struct CacheLoading.Jitter

/// Anything may happen to a scheduler, in any order; what it does is held against what it may do.
struct SchedulerWalk {
    private struct Asked {
        var namespace: Namespace
        var deadline: Instant
        var attempts = 0
        var attempt: AttemptNumber?
    }

    private struct Flight {
        var namespace: Namespace
        var ticket: LoadTicket
        var isAborted = false
    }

    static let outcomes: [AttemptOutcome] = [
        SchedulerStory.reply, SchedulerStory.reply, SchedulerStory.reply, .answered(status: 404),
        .answered(status: 429), .answered(status: 503, retryAfter: "1"), .answered(status: 500),
        .failed(.timedOut), .failed(.unreachable), .failed(.tooLarge),
    ]

    private var scheduler: OriginScheduler
    private var dice: Jitter
    private var now = Instant(nanoseconds: 1_000_000_000)
    private var names: [Namespace] = []
    private var policies: [Namespace: OriginPolicy] = [:]
    private var asked: [LoadTicket: Asked] = [:]
    private var flights: [AttemptNumber: Flight] = [:]
    private var lastStarted: UInt64 = 0
    private var lastTicket: UInt64 = 0
    /// What the origins are like for a while: in bad times nearly everything fails.
    private var isBadTime = false
    private(set) var ends: [String: Int] = [:]

    init(seed: UInt64) {
        scheduler = OriginScheduler(seed: seed)
        dice = Jitter(seed: seed &* 31)
        names = ["a", "b", "c"].compactMap { Namespace($0) }
        reconfigure()
    }

    var isQuiet: Bool { asked.isEmpty && flights.isEmpty && scheduler.nextDeadline == nil }

    /// 0 ..< `bound`.
    private mutating func roll(_ bound: Int) -> Int {
        Int(dice.upTo(.nanoseconds(bound - 1)).wholeNanoseconds)
    }

    mutating func step() {
        if roll(300) == 0 { isBadTime.toggle() }
        switch roll(100) {
        case 0..<38: ask()
        case 38..<68: finishOne()
        case 68..<74: cancelOne()
        case 74..<80: hastenOne()
        case 80..<81: reconfigure()
        case 81..<83: finishUnknown()
        default: pass(.milliseconds(roll(roll(10) == 0 ? 3_000 : 60)))
        }
    }

    private mutating func tell(
        _ event: (inout OriginScheduler, Instant, inout [OriginScheduler.Action]) -> Void
    ) {
        var actions: [OriginScheduler.Action] = []
        event(&scheduler, now, &actions)
        for action in actions { check(action) }
    }

    private mutating func ask() {
        lastTicket += 1
        let namespace = names[roll(names.count)]
        let ticket = LoadTicket(shard: UInt16(roll(4)), number: lastTicket)
        guard let key = CacheKey("\(ticket.shard) \(ticket.number)"),
            let urgency = LoadUrgency(rawValue: UInt8(roll(3)))
        else { return }
        let timeout = Duration.milliseconds(roll(5) == 0 ? roll(50) : 200 + roll(3_000))
        let request = OriginRequest(
            namespace: namespace, key: key, policy: policies[namespace] ?? OriginPolicy(url: ""),
            valueBytesMax: 1, timeout: timeout)
        asked[ticket] = Asked(namespace: namespace, deadline: now.advanced(by: timeout))
        let order = LoadOrder(ticket: ticket, request: request, urgency: urgency)
        tell { scheduler, now, actions in scheduler.ask(order, now: now, into: &actions) }
    }

    private mutating func finishOne() {
        guard let chosen = flights.keys.sorted().dropFirst(roll(max(1, flights.count))).first
        else { return }
        finish(chosen, isBadTime && roll(4) > 0 ? .failed(.unreachable) : outcome())
    }

    private mutating func outcome() -> AttemptOutcome {
        Self.outcomes[roll(isBadTime ? Self.outcomes.count : 4)]
    }

    private mutating func finish(_ attempt: AttemptNumber, _ outcome: AttemptOutcome) {
        guard let flight = flights.removeValue(forKey: attempt) else { return }
        if asked[flight.ticket]?.attempt == attempt { asked[flight.ticket]?.attempt = nil }
        tell { scheduler, now, actions in
            scheduler.finished(attempt, outcome, now: now, into: &actions)
        }
    }

    private mutating func finishUnknown() {
        let strangers = [AttemptNumber(lastStarted + 1 + UInt64(roll(9))), AttemptNumber(0)]
        for stranger in strangers {
            var actions: [OriginScheduler.Action] = []
            scheduler.finished(stranger, Self.outcomes[roll(9)], now: now, into: &actions)
            #expect(actions.isEmpty)
        }
    }

    private mutating func someTicket() -> LoadTicket {
        let tickets = asked.keys.sorted { $0.number < $1.number }
        return tickets.dropFirst(roll(max(1, tickets.count))).first
            ?? LoadTicket(shard: 0, number: 0)
    }

    private mutating func cancelOne() {
        let ticket = someTicket()
        let load = asked.removeValue(forKey: ticket)
        if load != nil { ends["cancelled", default: 0] += 1 }
        tell { scheduler, now, actions in scheduler.cancel(ticket, now: now, into: &actions) }
        if let attempt = load?.attempt { #expect(flights[attempt]?.isAborted == true) }
    }

    private mutating func hastenOne() {
        let ticket = someTicket()
        guard let urgency = LoadUrgency(rawValue: UInt8(roll(3))) else { return }
        tell { scheduler, now, actions in
            scheduler.hasten(ticket, to: urgency, now: now, into: &actions)
        }
    }

    private mutating func reconfigure() {
        policies.removeAll()
        for name in names where roll(5) > 0 {
            var policy = OriginPolicy(url: "http://\(roll(6) == 0 ? "new" : "old").test/")
            policy.concurrencyMax = 1 + roll(12)
            policy.queueMax = roll(15)
            policy.retriesMax = roll(4)
            policy.breakerPause = .milliseconds(100 + roll(500))
            policies[name] = policy
        }
        tell { [policies] scheduler, now, actions in
            scheduler.configure(policies, now: now, into: &actions)
        }
    }

    /// Time passes, and the scheduler is called when it is over, not sooner.
    private mutating func pass(_ duration: Duration) {
        now = now.advanced(by: duration)
        while let deadline = scheduler.nextDeadline, deadline <= now {
            tell { scheduler, now, actions in scheduler.timeIsUp(now: now, into: &actions) }
        }
        for (ticket, load) in asked {
            #expect(load.deadline > now, "\(ticket) is late")
        }
    }

    /// No event but the ends of what was begun.
    mutating func comeToRest() {
        for _ in 0..<10_000 where !isQuiet {
            for attempt in flights.keys.sorted() { finish(attempt, SchedulerStory.reply) }
            pass(.milliseconds(100))
        }
    }
}

extension SchedulerWalk {
    private mutating func check(_ action: OriginScheduler.Action) {
        switch action {
        case .start(let attempt, let request): checkStart(attempt, request)
        case .abort(let attempt):
            #expect(flights[attempt]?.isAborted == false)
            flights[attempt]?.isAborted = true
        case .answer(let ticket, let answer): checkAnswer(ticket, answer)
        }
    }

    private mutating func checkStart(_ attempt: AttemptNumber, _ request: OriginRequest) {
        #expect(attempt.rawValue == lastStarted + 1)
        lastStarted = attempt.rawValue
        let parts = request.key.description.split(separator: " ").compactMap { UInt64($0) }
        guard let shard = parts.first, let number = parts.last else { return }
        let ticket = LoadTicket(shard: UInt16(shard), number: number)
        guard let load = asked[ticket], let policy = policies[load.namespace] else {
            Issue.record("\(ticket) was started, and nobody wants it")
            return
        }
        #expect(load.attempt == nil)
        #expect(load.attempts <= 3)
        #expect(request.timeout == load.deadline.elapsed(since: now) && request.timeout > .zero)
        #expect(request.policy == policy)
        flights[attempt] = Flight(namespace: load.namespace, ticket: ticket)
        asked[ticket]?.attempt = attempt
        asked[ticket]?.attempts += 1
        let inFlight = flights.values.count { $0.namespace == load.namespace }
        #expect(inFlight <= policy.concurrencyMax)
    }

    private mutating func checkAnswer(_ ticket: LoadTicket, _ answer: LoadAnswer) {
        guard let load = asked.removeValue(forKey: ticket) else {
            Issue.record("\(ticket) was answered, and had its answer or was cancelled")
            return
        }
        if let attempt = load.attempt { #expect(flights[attempt]?.isAborted == true) }
        switch answer {
        case .reply: ends["reply", default: 0] += 1
        case .failed(let failure, let retryAfter):
            ends["\(failure)", default: 0] += 1
            if let retryAfter { #expect(retryAfter >= .zero) }
            if failure == .noOrigin { #expect(policies[load.namespace] == nil) }
        }
    }
}
