import CacheModel
import CacheWire

/// I6: what is served, from whichever tier, is the last value that was stored under its key, within
/// its life; and no restart brings back what another life replaced.
extension World {
    /// A served value was the last one that was stored under its key.
    func judgeNewest(
        _ fill: Fill, _ holding: Holding, of shard: SimulatedShard
    ) throws(Violation) {
        if let newest = shard.memory.residents[fill.item], newest != fill.number {
            throw Violation(
                "\(shard.place) serves fill \(fill.number), though fill \(newest) was stored "
                    + "under its key since")
        }
        guard holding.step <= shard.memory.inheritedStep else { return }
        tally.inheritedAnswers += 1
        guard settings.kind == .sharded else { return }
        try judgeLives(fill, holding, of: shard)
    }

    /// In a sharded topology no record tells of a store: no life may have stored under that key
    /// after the one whose disk this is, before this one began.
    private func judgeLives(
        _ fill: Fill, _ holding: Holding, of shard: SimulatedShard
    ) throws(Violation) {
        let node = runs[shard.place.run].node
        for (run, stored) in lastStores[node][fill.item] ?? [:]
        where stored > holding.step && stored < shard.beganStep {
            guard !isForgotten(stored, by: shard.memory.writer) else { continue }
            throw Violation(
                "\(shard.place) serves fill \(fill.number) from disk, though run \(run) of its "
                    + "node has stored under its key since")
        }
    }

    func noteStore(_ item: Int, in shard: SimulatedShard) {
        guard settings.tiers != nil else { return }
        lastStores[runs[shard.place.run].node][item, default: [:]][shard.place.run] = step
    }

    /// What is called fresh has not outlived its life.
    func judgeLife(
        _ fill: Fill, _ holding: Holding, of shard: SimulatedShard
    ) throws(Violation) {
        guard let end = holding.endsAt, now >= end + Self.lifeSlack else { return }
        throw Violation("\(shard.place) calls fill \(fill.number) fresh, whose life is over")
    }

    /// Clocks run wrong by a little, and lives are counted in milliseconds.
    static let lifeSlack = Span.milliseconds(30)

    /// When what is stored under a key now is over.
    func end(of item: Int, in shard: SimulatedShard) -> WorldTime? {
        guard shard.isConfigured else { return nil }
        let namespace = Catalog.items[item].namespace
        let policy = settings.policy(of: namespace)
        return policy.timeToLive.map { now + Span(nanoseconds: $0.wholeNanoseconds) }
    }
}
