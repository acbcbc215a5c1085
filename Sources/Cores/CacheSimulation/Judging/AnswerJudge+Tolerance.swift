import CacheModel
import CacheNodeCore
import CacheWire

/// Judges what is served without a lease, and stale values in place of a load: docs/decisions/0090.
extension AnswerJudge {
    /// After the window, a load of the key must have begun, or a token been given, at most this
    /// long ago.
    private static let askedSpan = Span.milliseconds(1_000)
    private static let slack = Span.milliseconds(60)

    /// A shard receives the standing of its node. It can vouch until its lease ends, or until now
    /// if the lease was given up.
    func noteVouching(of shard: SimulatedShard, until standing: NodeStanding) {
        let clock = nodes.runs[shard.place.run].clock
        if standing.leaseLeft(at: clock.reading(at: now)) > .zero {
            shard.memory.vouchedUntil = clock.time(of: standing.leaseExpiresAt)
        } else if let end = shard.memory.vouchedUntil {
            shard.memory.vouchedUntil = min(end, now)
        }
    }

    func judgeTolerance(
        _ number: Int, _ outcome: Answer.Outcome, _ request: Request, of shard: SimulatedShard
    ) throws(Violation) {
        guard outcome.flags.contains(.tolerated) else { return }
        count(.toleratedAnswers)
        let policy = settings.policy(of: Catalog.items[origin.fills[number].item].namespace)
        try Violation.unless(
            outcome.status == .stale && outcome.flags.contains(.suspect)
                && policy.suspect == .serveThenRevalidate,
            "\(shard.place) serves fill \(number) in place of a load")
        let window = Span(nanoseconds: policy.suspectWindow.wholeNanoseconds)
        // The time that a message waits for a load of one of its keys does not count for another.
        let takenAt = nodes.runs[shard.place.run].clock.time(of: request.takenAt)
        let asOf = request.items.count > 1 ? takenAt : now
        if let end = shard.memory.vouchedUntil, asOf < end + window + Self.slack { return }
        let item = origin.fills[number].item
        if let asked = shard.memory.askedAt[item], takenAt < asked + Self.askedSpan + Self.slack {
            return
        }
        // A load that takes longer is not begun again meanwhile.
        let loads = shard.memory.loads
        if !loads.beginnings(of: item).isEmpty
            || loads.ends(of: item).contains(where: { takenAt <= $0.time })
        {
            return
        }
        throw Violation(
            "\(shard.place) serves fill \(number) in place of a load, though its window is over "
                + "and no load of it began within a second")
    }

    /// Without a lease a held entry is served as its namespace has it. A node that does not know
    /// its configuration yet serves none: it may belong to a namespace that refuses.
    func judgeSuspect(
        _ number: Int, _ outcome: Answer.Outcome, _ request: Request, of shard: SimulatedShard
    ) throws(Violation) {
        let item = origin.fills[number].item
        guard outcome.status == .stale, outcome.flags.contains(.suspect), !request.allowsStale,
            request.maxStaleMilliseconds == nil, !settings.isLoaded(item) || !shard.isConfigured
        else { return }
        let policy = settings.policy(of: Catalog.items[item].namespace)
        try Violation.unless(
            shard.isConfigured && policy.suspect == .serve,
            "\(shard.place) serves fill \(number) without a lease, though its namespace does not "
                + "allow that, or is not known yet")
    }
}
