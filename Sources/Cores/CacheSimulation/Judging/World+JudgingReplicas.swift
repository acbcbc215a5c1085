import CacheModel

/// Judges whether late answers of a database replica are gone in time.
extension World {
    /// An old value stays for one replica lag after its invalidation, because the publisher then
    /// repeats the invalidation; and for one lag after it was stored, whatever happens to the
    /// publisher.
    ///
    /// - Parameter fill: as the shard holds it and serves it as fresh.
    func judgeLag(_ fill: Fill, _ holding: Holding, in shard: SimulatedShard) throws(Violation) {
        guard let record = unseenRecord(fill, in: shard) else { return }
        guard now < holding.time + lagAllowed(fill) else {
            throw Violation(
                "\(shard.place) calls fill \(fill.number) fresh for longer than replicas lag, "
                    + "though it was read where \(record.position) was not visible yet")
        }
        try judgeEcho(fill, in: shard)
    }

    private func lagAllowed(_ fill: Fill) -> Span {
        let lag = settings.replicaLag(of: Catalog.items[fill.item].namespace)
        return Span(nanoseconds: lag.nanoseconds / 100 * 101) + bound + .milliseconds(20)
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
        guard publisher.runs, publisher.upSince <= record.time,
            record.generation == publisher.generation, !settings.faults.contains(.diskFaults)
        else { return nil }
        let disk = settings.isDurable ? 6 * settings.diskMicroseconds.upperBound : 0
        return .microseconds(disk)
    }
}
