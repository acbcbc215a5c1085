import CacheModel
import CacheWire

/// I6: a served value, from either tier, is the last value that was stored under its key, and
/// within its lifetime. No restart brings back a value that another run replaced.
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

    /// In a sharded topology the log has no records of stores. So no run may have stored under that
    /// key after the run that wrote the disk, and before this run began.
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

    /// A fresh value has not outlived its lifetime.
    func judgeLife(
        _ fill: Fill, _ holding: Holding, of shard: SimulatedShard
    ) throws(Violation) {
        guard let end = holding.endsAt, now >= end + Self.lifeSlack else { return }
        throw Violation("\(shard.place) calls fill \(fill.number) fresh after its lifetime")
    }

    /// Clocks are slightly wrong, and lifetimes are in milliseconds.
    static let lifeSlack = Span.milliseconds(30)

    /// The end of the lifetime of an entry that is stored now.
    func end(of item: Int, in shard: SimulatedShard) -> WorldTime? {
        guard shard.isConfigured else { return nil }
        let namespace = Catalog.items[item].namespace
        let policy = settings.policy(of: namespace)
        return policy.timeToLive.map { now + Span(nanoseconds: $0.wholeNanoseconds) }
    }
}
