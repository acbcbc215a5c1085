import CacheLoading
import CacheModel
import Testing

@testable import struct CacheLoading.Jitter

/// A scheduler before a simulated origin, a millisecond at a time.
struct OverloadWorld {
    var scheduler: OriginScheduler
    var origin: SimulatedOrigin
    let policy: OriginPolicy
    private(set) var now = Instant(nanoseconds: 5_000_000_000)
    private(set) var good = 0
    private(set) var other = 0
    private var dice: Jitter
    private var asked: UInt64 = 0
    private var owed = 0.0
    /// By ticket, its deadline.
    private(set) var waiting: [LoadTicket: Instant] = [:]
    private(set) var latest = Duration.zero

    init(_ character: SimulatedOrigin.Character, policy: OriginPolicy, seed: UInt64) {
        scheduler = OriginScheduler(seed: seed)
        origin = SimulatedOrigin(character, seed: seed &+ 1)
        dice = Jitter(seed: seed &+ 2)
        self.policy = policy
        var actions: [OriginScheduler.Action] = []
        scheduler.configure([.default: policy], now: now, into: &actions)
    }

    var statistics: GateStatistics { scheduler.statistics(of: .default) ?? GateStatistics() }

    /// Loads arrive at random, every one for another key: nothing coalesces, as after a purge.
    mutating func run(for duration: Duration, perSecond: Double) {
        for _ in 0..<duration.wholeMilliseconds {
            now = now.advanced(by: .milliseconds(1))
            var actions: [OriginScheduler.Action] = []
            for (attempt, status) in origin.work() {
                scheduler.finished(attempt, .answered(status: status), now: now, into: &actions)
            }
            while let deadline = scheduler.nextDeadline, deadline <= now {
                scheduler.timeIsUp(now: now, into: &actions)
            }
            let roll = Double(dice.upTo(.nanoseconds(2_000)).wholeNanoseconds) / 1_000
            owed += perSecond / 1_000 * roll
            while owed >= 1 {
                owed -= 1
                ask(into: &actions)
            }
            perform(actions)
        }
    }

    private mutating func ask(into actions: inout [OriginScheduler.Action]) {
        asked += 1
        guard let key = CacheKey("k\(asked)") else { return }
        let request = OriginRequest(
            namespace: .default, key: key, policy: policy, valueBytesMax: 1,
            timeout: policy.timeout)
        let ticket = LoadTicket(shard: 0, number: asked)
        waiting[ticket] = now.advanced(by: policy.timeout)
        let order = LoadOrder(ticket: ticket, request: request, urgency: .awaited)
        scheduler.ask(order, now: now, into: &actions)
    }

    private mutating func perform(_ first: [OriginScheduler.Action]) {
        var actions = first[...]
        while let action = actions.popFirst() {
            switch action {
            case .start(let attempt, _):
                origin.begin(attempt)
                #expect(origin.count <= policy.concurrencyMax)
            case .abort(let attempt):
                guard origin.abort(attempt) else { continue }
                var more: [OriginScheduler.Action] = []
                scheduler.finished(attempt, .failed(.timedOut), now: now, into: &more)
                actions += more
            case .answer(let ticket, let answer):
                note(ticket, answer)
            }
        }
    }

    private mutating func note(_ ticket: LoadTicket, _ answer: LoadAnswer) {
        guard let deadline = waiting.removeValue(forKey: ticket) else {
            Issue.record("\(ticket) was answered twice")
            return
        }
        latest = max(latest, now.elapsed(since: deadline))
        if case .reply(let reply) = answer, reply.status == 200 { good += 1 } else { other += 1 }
    }
}
