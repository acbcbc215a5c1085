import CacheModel
import CacheNodeCore

/// Judges whether a shard may serve entries as fresh, and whether late answers of a database
/// replica are gone in time.
struct LeaseJudge: WorldPart {
    let nodes: SimulatedNodes
    let chronicle: Chronicle

    var timeline: Timeline { nodes.timeline }
    private var publisher: SimulatedPublisher { nodes.publisher }

    /// Whether a shard may serve entries as fresh, by the last standing that its node sent to it.
    func holdsLease(_ shard: SimulatedShard) -> Bool {
        let clock = nodes.runs[shard.place.run].clock.reading(at: now)
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
        try Violation.unless(
            now < record.time + settings.bound,
            "\(shard.place) calls entries fresh, and has not obeyed \(record.position), which was "
                + "appended more than a lease and a hundredth ago")
        let run = nodes.runs[shard.place.run]
        let releases = record.releases[run.node] ?? []
        guard releases.contains(where: { !isExcused(run, $0) }) else { return }
        throw Violation(
            "\(shard.place) calls entries fresh without \(record.position), though a receipt "
                + "said that its node has obeyed it or can call nothing fresh any more")
    }

    /// Whether the publisher may not know the lease of this run: ``isExcused(_:_:)``.
    func mayBeForgotten(_ run: SimulatedRun) -> Bool {
        isExcused(run, .init(generation: publisher.generation, began: step))
    }

    /// docs/decisions/0083: a node has two runs, and its publisher dies without a stored list of
    /// the leases it granted. Once the next publisher has heard one of the runs, it does not wait
    /// for the other, which may hold the rest of its lease.
    func isExcused(_ run: SimulatedRun, _ release: RecordFact.Release) -> Bool {
        guard settings.mayGrantsBeForgotten else { return false }
        return isUnknown(run, release)
            || run.memory.hasTwin
                && run.memory.firstGrants[release.generation] ?? .max > release.began
    }

    /// docs/consistency.md: a node that joined is known by the log, and the log was lost. Until a
    /// publisher has heard it again, none waits for it.
    private func isUnknown(_ run: SimulatedRun, _ release: RecordFact.Release) -> Bool {
        run.node >= settings.listedCount ?? .max
            && chronicle.hasLost(SimulatedNodes.id(of: run.node), before: release)
    }

    /// A record that was lost with its publisher binds only the shards that received it.
    func hasObeyed(_ record: RecordFact, _ shard: SimulatedShard) -> Bool {
        record.isLost
            ? shard.memory.applied.steps[record.sealed.digest] != nil
            : shard.memory.hasObeyed(record)
    }

    // MARK: Replicas

    /// An old value stays for one replica lag after its invalidation, because the publisher then
    /// repeats the invalidation; and for one lag after it was stored, whatever happens to the
    /// publisher.
    ///
    /// - Parameter fill: as the shard holds it and serves it as fresh.
    func judgeLag(_ fill: Fill, _ holding: Holding, in shard: SimulatedShard) throws(Violation) {
        guard let record = unseenRecord(fill, in: shard) else { return }
        try Violation.unless(
            now < holding.time + lagAllowed(fill),
            "\(shard.place) calls fill \(fill.number) fresh for longer than replicas lag, though "
                + "it was read where \(record.position) was not visible yet")
        try judgeEcho(fill, in: shard)
    }

    private func lagAllowed(_ fill: Fill) -> Span {
        let lag = settings.replicaLag(of: Catalog.items[fill.item].namespace)
        return Span(nanoseconds: lag.nanoseconds / 100 * 101) + settings.bound + .milliseconds(20)
    }

    /// The publisher has repeated an invalidation as soon as no replica returns values from before
    /// it.
    func judgeEcho(_ fill: Fill, in shard: SimulatedShard) throws(Violation) {
        guard let record = unseenRecord(fill, in: shard), let slack = echoSlack(since: record),
            now >= record.time + lagAllowed(fill) + slack
        else { return }
        throw Violation(
            "\(shard.place) calls fill \(fill.number) fresh long after replicas have caught up "
                + "with \(record.position), which was not repeated")
    }

    /// A record that the shard has applied, and that a replica had not seen at the read.
    func unseenRecord(_ fill: Fill, in shard: SimulatedShard) -> RecordFact? {
        guard case .fenced = fill.claim, fill.sawStep < fill.readStep else { return nil }
        let unseen = chronicle.records(after: fill.sawStep, covering: fill).first {
            $0.step <= fill.readStep && !$0.isLost && isOfWriters($0)
        }
        return unseen.flatMap { shard.memory.hasObeyed($0) ? $0 : nil }
    }

    /// Whether it is a writer's invalidation; not an echo, and not the order of a store.
    private func isOfWriters(_ record: RecordFact) -> Bool {
        let operation = record.sealed.record.operation
        return operation != .none && operation.high != Fill.storeOperations
    }

    /// How late an echo may be; `nil` if the publisher was not up all the time.
    private func echoSlack(since record: RecordFact) -> Span? {
        guard settings.shared == nil, publisher.runs, publisher.upSince <= record.time,
            record.generation == publisher.generation, !settings.faults.contains(.diskFaults)
        else { return nil }
        let disk = settings.isDurable ? 6 * settings.diskMicroseconds.upperBound : 0
        return .microseconds(disk)
    }
}
