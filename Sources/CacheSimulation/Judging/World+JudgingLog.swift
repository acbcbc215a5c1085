import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore

/// Whether what the log says stays said.
extension World {
    /// The publisher sends records for the first time: they were appended in this turn.
    func chronicle(_ frame: [UInt8]) throws(Violation) {
        let run = try Self.decoded(frame) { try RecordRun(decoding: $0) }
        for record in run.records {
            step += 1
            tally.records += 1
            note(.publisher, "appends scopes:", record.record.scopes.count, at: record.position)
            let fact = RecordFact(
                record, step: step, time: now, generation: publisher.generation)
            guard chronicle.append(fact) else {
                throw Violation("the publisher sends \(record.position) as new a second time")
            }
        }
    }

    /// A shard is handed records: each must be genuine, and follow what it was handed before.
    func judgeRecords(
        _ records: [SealedRecord], for shard: SimulatedShard
    ) throws(Violation) {
        for record in records {
            guard chronicle.knows(record.digest) else {
                throw Violation(
                    "\(shard.place) is handed \(record.position), which nobody appended")
            }
            guard record.position.directlyFollows(shard.memory.mark.position),
                record.record.previousDigest == shard.memory.mark.digest
            else {
                throw Violation(
                    "\(shard.place) stands at \(shard.memory.mark.position) and is handed "
                        + "\(record.position), which does not follow it by number and digest")
            }
            shard.memory.obey(record, step: step)
            note(.shard(shard.place), "obeys", at: record.position)
        }
    }

    /// A publisher without its log must go on no earlier than any node that told it where it
    /// stands; what lies further is lost.
    ///
    /// - Parameter actions: of the turn in which it decided; it may have appended in it as well.
    func judgeHistory(before actions: [PublisherAction]) throws(Violation) {
        guard !publisher.hasDecided, publisher.mind.log.hasHistory else { return }
        publisher.hasDecided = true
        var head = publisher.mind.log.head
        if let first = try firstRecord(in: actions) {
            head.position.sequence = SequenceNumber(first.position.sequence.rawValue - 1)
            head.digest = first.record.previousDigest
        }
        guard head.position >= publisher.furthestTold else {
            throw Violation(
                "the restarted publisher goes on from \(head.position), though a node told it "
                    + "\(publisher.furthestTold)")
        }
        let lostCount = chronicle.keepOnly(before: head)
        tally.lostRecords += lostCount
        note(.publisher, "goes on; records lost:", lostCount, at: head.position)
    }

    private func firstRecord(
        in actions: [PublisherAction]
    ) throws(Violation) -> SealedRecord? {
        for case .broadcast(let frame) in actions where frame[3] == MessageType.records.rawValue {
            return try Self.decoded(frame) { try RecordRun(decoding: $0) }.records.first
        }
        return nil
    }
}
