import CacheInvalidation
import CacheModel
import PublisherCore

/// Judges whether a log on a disk continues only where it may.
extension LogJudge {
    /// A publisher has opened its log. All durable, undamaged records must be there, in the same
    /// epoch. A publisher must not hide the loss of records by continuing.
    ///
    /// - Returns: whether there was a log to continue.
    func judgeRecovery(after damage: SimulatedDisk.Damage?) throws(Violation) -> Bool {
        guard disk != nil, publisher.core.log.hasHistory else { return false }
        publisher.memory.hasDecided = true
        let (head, durable) = (publisher.core.log.head, durableHead)
        note(.publisher, "opens its log", at: head.position)
        if damage == nil {
            try Violation.unless(
                head.position >= durable.position && head.position.epoch <= openedEpoch,
                "an undamaged log reached to \(durable.position), and it continues from "
                    + "\(head.position)")
        }
        if head.position.epoch > openedEpoch { count(.epochs) }
        chronicleSurvivors()
        let lost = chronicle.keepOnly(before: head, of: publisher.core.log.id, step: step)
        count(.lostRecords, lost.count)
        // A log that begins anew with another id continues from nothing.
        if publisher.core.log.id == toldID {
            try judge(lost, after: damage, head)
        }
        return true
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
                count(.records)
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
        case .cut where first > (disk?.openedAt ?? .none): hasLostUnseen = true
        case .removal where first > (disk?.openedAt ?? .none): hasLostUnseen = true
        case .flip where first.sequence > (disk?.settledBeforeLast ?? .none):
            hasLostUnseen = true
        default:
            throw Violation(
                "\(lost.count) records from \(first) on are gone from a log, and it continues "
                    + "from \(head.position)")
        }
    }
}
