import CacheModel
import CacheNodeCore
import CacheWire

/// Judges stale values in place of a load: docs/decisions/0090.
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
        if let end = shard.memory.vouchedUntil, now < end + window + Self.slack { return }
        // The waiting time of a message since its arrival does not count.
        let takenAt = nodes.runs[shard.place.run].clock.time(of: request.takenAt)
        if let asked = shard.memory.askedAt[origin.fills[number].item],
            takenAt < asked + Self.askedSpan + Self.slack
        {
            return
        }
        throw Violation(
            "\(shard.place) serves fill \(number) in place of a load, though its window is over "
                + "and no load of it began within a second")
    }
}
