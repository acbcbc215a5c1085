import CacheModel
import CacheNodeCore

/// Judges whether a shard may serve entries as fresh.
extension World {
    /// A lease plus one percent for clocks: every fresh answer reflects all records that are older.
    var bound: Span { .microseconds(1_010 * settings.leaseMilliseconds) }

    /// Whether a shard may serve entries as fresh, by the last standing that its node sent to it.
    func holdsLease(_ shard: SimulatedShard) -> Bool {
        let clock = runs[shard.place.run].clock.reading(at: now)
        return shard.core.standing.leaseLeft(at: clock) > .zero
    }

    /// A shard that may serve fresh entries now must have applied every record that is older than a
    /// lease, and every record that a receipt states it cannot contradict.
    func judgeLease(_ shard: SimulatedShard) throws(Violation) {
        if holdsLease(shard) { try judgeDebts(shard) }
    }

    /// A shard serves an entry as fresh now, whether it may or not.
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

    /// A shard serves an entry as fresh without having applied a record.
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

    /// docs/decisions/0083: a node has two runs, and its publisher dies without a stored list of
    /// the leases it granted. Once the next publisher has heard one of the runs, it does not wait
    /// for the other, which may hold the rest of its lease.
    func isExcused(_ run: SimulatedRun, _ release: RecordFact.Release) -> Bool {
        guard settings.mayGrantsBeForgotten else { return false }
        return run.hasTwin && run.firstGrants[release.generation] ?? .max > release.began
    }
}
