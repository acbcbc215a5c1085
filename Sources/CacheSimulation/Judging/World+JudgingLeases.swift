import CacheModel
import CacheNodeCore

/// Whether who calls something fresh may.
extension World {
    /// A lease and the hundredth for clocks: what was appended longer ago, every fresh answer
    /// reflects.
    var bound: Span { .microseconds(1_010 * settings.leaseMilliseconds) }

    /// Whether a shard may call something fresh by what it was told of its node.
    func holdsLease(_ shard: SimulatedShard) -> Bool {
        let clock = runs[shard.place.run].clock.reading(at: now)
        return shard.core.standing.leaseLeft(at: clock) > .zero
    }

    /// A shard that would call something fresh now must have obeyed everything that is older than
    /// a lease, and everything that a receipt says it cannot contradict.
    func judgeLease(_ shard: SimulatedShard) throws(Violation) {
        if holdsLease(shard) { try judgeDebts(shard) }
    }

    /// A shard calls something fresh now, whether it may or not.
    func judgeDebts(_ shard: SimulatedShard) throws(Violation) {
        var index = shard.memory.settledCount
        var isSettled = true
        while index < chronicle.records.count {
            let record = chronicle.records[index]
            if record.isLost || shard.memory.hasObeyed(record) {
                if isSettled { shard.memory.settledCount = index + 1 }
            } else {
                isSettled = false
                try judgeFresh(record, shard)
            }
            index += 1
        }
    }

    /// A shard calls something fresh without having obeyed a record.
    func judgeFresh(_ record: RecordFact, _ shard: SimulatedShard) throws(Violation) {
        guard !record.isLost else { return }
        guard now < record.time + bound else {
            throw Violation(
                "\(shard.place) calls entries fresh, and has not obeyed \(record.position), "
                    + "which was appended more than a lease and a hundredth ago")
        }
        let run = runs[shard.place.run]
        let releases = record.releases[run.node] ?? []
        guard releases.contains(where: { !isExcused(run, $0) }) else { return }
        throw Violation(
            "\(shard.place) calls entries fresh without \(record.position), though a receipt "
                + "said that its node has obeyed it or can call nothing fresh any more")
    }

    /// docs/decisions/0083: where a node has two runs, and its publisher dies without having kept
    /// whom it granted leases, one of them may hold the rest of its lease without being waited for,
    /// once the other was heard.
    func isExcused(_ run: SimulatedRun, _ release: RecordFact.Release) -> Bool {
        guard settings.mayGrantsBeForgotten else { return false }
        return run.hasTwin && run.firstGrants[release.generation] ?? .max > release.began
    }
}
