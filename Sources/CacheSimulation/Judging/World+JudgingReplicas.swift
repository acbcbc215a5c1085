import CacheModel

/// Whether what a replica handed out late is gone when it has to be.
extension World {
    /// An old value stays for one lag after its invalidation, because the publisher says that once
    /// more; and for one lag after it was stored, whatever becomes of the publisher.
    ///
    /// - Parameter fill: as the shard holds it, and calls it fresh.
    func judgeLag(_ fill: Fill, _ holding: Holding, in shard: SimulatedShard) throws(Violation) {
        guard let record = unseenRecord(fill, in: shard) else { return }
        guard now < holding.time + lagAllowed(fill) else {
            throw Violation(
                "\(shard.place) calls fill \(fill.number) fresh for longer than replicas lag, "
                    + "though it was read where \(record.position) was not to be seen yet")
        }
        try judgeEcho(fill, in: shard)
    }

    private func lagAllowed(_ fill: Fill) -> Span {
        let lag = settings.replicaLag(of: Catalog.items[fill.item].namespace)
        return Span(nanoseconds: lag.nanoseconds / 100 * 101) + bound + .milliseconds(20)
    }

    /// That the publisher has said an invalidation once more as soon as no replica hands out any
    /// more what is from before it.
    func judgeEcho(_ fill: Fill, in shard: SimulatedShard) throws(Violation) {
        guard let record = unseenRecord(fill, in: shard), let slack = echoSlack(since: record),
            now >= record.time + lagAllowed(fill) + slack
        else { return }
        throw Violation(
            "\(shard.place) calls fill \(fill.number) fresh long after replicas have caught up "
                + "with \(record.position), which nobody said once more")
    }

    /// A record that the shard has obeyed, and that a replica had not seen when it was read.
    func unseenRecord(_ fill: Fill, in shard: SimulatedShard) -> RecordFact? {
        guard case .fenced = fill.claim, fill.sawStep < fill.readStep else { return nil }
        let unseen = chronicle.records(after: fill.sawStep, covering: fill).first {
            $0.step <= fill.readStep && !$0.isLost && isOfWriters($0)
        }
        return unseen.flatMap { shard.memory.hasObeyed($0) ? $0 : nil }
    }

    /// What a writer said; not an echo, and not the order of a store.
    private func isOfWriters(_ record: RecordFact) -> Bool {
        let operation = record.sealed.record.operation
        return operation != .none && operation.high != Fill.storeOperations
    }

    /// How long an echo may take beyond its time; `nil` if the publisher was not always there.
    private func echoSlack(since record: RecordFact) -> Span? {
        guard publisher.runs, publisher.upSince <= record.time,
            record.generation == publisher.generation, !settings.faults.contains(.diskFaults)
        else { return nil }
        let disk = settings.isDurable ? 6 * settings.diskMicroseconds.upperBound : 0
        return .microseconds(disk)
    }
}
