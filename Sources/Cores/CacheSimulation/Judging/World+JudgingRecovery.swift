import CacheInvalidation
import CacheModel
import PublisherCore

/// Judges whether a log on a disk continues only where it may.
extension World {
    /// A publisher has opened its log. All durable, undamaged records must be there, in the same
    /// epoch. A publisher must not hide the loss of records by continuing.
    func judgeRecovery() throws(Violation) {
        guard disk != nil, publisher.core.log.hasHistory else { return }
        publisher.hasDecided = true
        let (head, durable) = (publisher.core.log.head, publisher.durableHead)
        note(.publisher, "opens its log", at: head.position)
        if publisher.damage == nil {
            guard head.position >= durable.position,
                head.position.epoch <= publisher.openedEpoch
            else {
                throw Violation(
                    "an undamaged log reached to \(durable.position), and it continues "
                        + "from \(head.position)")
            }
        }
        if head.position.epoch > publisher.openedEpoch { tally.epochs += 1 }
        chronicleSurvivors()
        let lost = chronicle.keepOnly(before: head, of: publisher.core.log.id, step: step)
        tally.lostRecords += lost.count
        // A log that begins anew with another id continues from nothing.
        if publisher.core.log.id == publisher.toldID {
            try judge(lost, after: publisher.damage, head)
        }
        publisher.damage = nil
        // An epoch that a start begins is on the disk before any other event.
        noteTold()
    }

    /// Records that were written but not reported when the publisher died are in the log all the
    /// same.
    private func chronicleSurvivors() {
        let head = publisher.core.log.head.position.sequence
        var after = head
        while after > .none, let digest = publisher.core.log.digest(at: after),
            !chronicle.knows(digest)
        {
            after = SequenceNumber(after.rawValue - 1)
        }
        while after < head,
            let records = publisher.core.log.read(after: after, limit: 64),
            let last = records.last
        {
            for record in records where !chronicle.knows(record.digest) {
                step += 1
                tally.records += 1
                note(.publisher, "finds it had appended", at: record.position)
                let fact = RecordFact(
                    record, step: step, time: now, generation: publisher.generation)
                _ = chronicle.append(fact)
            }
            after = last.position.sequence
        }
    }

    /// Records are lost and their epoch continues: only a loss without a trace allows that. In a
    /// log that was not closed, this is its end since the opening, truncated or removed as a file.
    /// After a changed bit it is the last batch, which looks like a torn write.
    private func judge(
        _ lost: [LogPosition], after damage: SimulatedDisk.Damage?, _ head: LogMark
    ) throws(Violation) {
        guard let first = lost.min() else { return }
        switch damage {
        case .cut where first > (disk?.openedAt ?? .none): publisher.hasLostUnseen = true
        case .removal where first > (disk?.openedAt ?? .none): publisher.hasLostUnseen = true
        case .flip where first.sequence > (disk?.settledBeforeLast ?? .none):
            publisher.hasLostUnseen = true
        default:
            throw Violation(
                "\(lost.count) records from \(first) on are gone from a log, and it continues "
                    + "from \(head.position)")
        }
    }
}
