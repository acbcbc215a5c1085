import CacheModel
import CacheNodeCore
import CacheWire

/// Judges whether a value from memory meets its reader's demands, and whether a stale one is within
/// its window.
extension AnswerJudge {
    /// Ages have a resolution of seventeen milliseconds.
    private static let ageSlack = Span.milliseconds(60)

    func judgeDemand(
        _ number: Int, _ outcome: Answer.Outcome, _ request: Request, of shard: SimulatedShard
    ) throws(Violation) {
        let item = origin.fills[number].item
        guard settings.isLoaded(item), shard.isConfigured, request.purpose.isRead,
            let holding = shard.memory.holdings[number],
            holding.step > shard.memory.inheritedStep
        else { return }
        let policy = settings.policy(of: Catalog.items[item].namespace)
        // An answer of the origin with the resident version confirms it.
        let isNew =
            holding.step > request.takenStep
            || shard.memory.loads.ends(of: item).contains { $0.step > request.takenStep }
        if request.readPolicy ?? policy.origin?.read == .networkOnly, !isNew {
            throw Violation("\(shard.place) answers by fill \(number) instead of its origin")
        }
        if outcome.status == .stale {
            try judgeWindow(number, holding, request, of: shard)
            if outcome.flags.contains(.soft) { try judgeSoftness(number, policy, of: shard) }
        } else if let age = request.maxAgeMilliseconds, !isNew, outcome.isFresh,
            now >= holding.time + .milliseconds(age) + Self.ageSlack
        {
            throw Violation(
                "\(shard.place) calls fill \(number) fresh, which is older than was demanded")
        }
    }

    /// Past its lifetime a value is served within its windows, or if its reader allows it. It is
    /// removed after the longer of the windows.
    private func judgeWindow(
        _ number: Int, _ holding: Holding, _ request: Request, of shard: SimulatedShard
    ) throws(Violation) {
        guard let endsAt = holding.endsAt, now >= endsAt + StoreJudge.lifeSlack else { return }
        count(.windowAnswers)
        try Violation.unless(
            now < endsAt + holding.window + StoreJudge.lifeSlack,
            "\(shard.place) serves fill \(number) beyond the window that it was loaded with")
        guard request.readPolicy == .cacheOnly, !request.allowsStale,
            request.maxStaleMilliseconds == nil
        else { return }
        throw Violation("\(shard.place) serves fill \(number) stale to a reader that allows none")
    }

    private func judgeSoftness(
        _ number: Int, _ policy: NamespacePolicy, of shard: SimulatedShard
    ) throws(Violation) {
        let window = Span(nanoseconds: policy.staleWindow.wholeNanoseconds)
        if let last = shard.memory.softenedAt, now < last + window + Self.ageSlack { return }
        throw Violation("\(shard.place) serves fill \(number) long after it was softly invalidated")
    }
}
