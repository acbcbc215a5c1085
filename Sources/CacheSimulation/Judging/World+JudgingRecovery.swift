import CacheInvalidation
import CacheModel
import PublisherCore

/// Whether a log on a disk goes on where it may, and nowhere else.
extension World {
    /// A publisher has opened its log. What was durable and nobody damaged must all be there, in
    /// the same epoch; what was lost must not be hidden by going on.
    func judgeRecovery() throws(Violation) {
        guard disk != nil, publisher.mind.log.hasHistory else { return }
        publisher.hasDecided = true
        let (head, durable) = (publisher.mind.log.head, publisher.durableHead)
        note(.publisher, "opens its log", at: head.position)
        if publisher.damage == nil {
            guard head.position >= durable.position,
                head.position.epoch <= publisher.openedEpoch
            else {
                throw Violation(
                    "nobody damaged a log that reached to \(durable.position), and it goes on "
                        + "from \(head.position)")
            }
        }
        if head.position.epoch > publisher.openedEpoch { tally.epochs += 1 }
        chronicleSurvivors()
        let lost = chronicle.keepOnly(before: head, of: publisher.mind.log.id, step: step)
        tally.lostRecords += lost.count
        // A log that begins anew under another name goes on from nothing.
        if publisher.mind.log.id == publisher.toldID {
            try judge(lost, after: publisher.damage, head)
        }
        publisher.damage = nil
        // An epoch that a start begins is on the disk before anything else happens.
        noteTold()
    }

    /// What was written, and not told when the publisher died, came to be all the same.
    private func chronicleSurvivors() {
        let head = publisher.mind.log.head.position.sequence
        var after = head
        while after > .none, let digest = publisher.mind.log.digest(at: after),
            !chronicle.knows(digest)
        {
            after = SequenceNumber(after.rawValue - 1)
        }
        while after < head,
            let records = publisher.mind.log.read(after: after, limit: 64),
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

    /// Records are gone and their epoch goes on: that may only be what leaves no trace. Of a log
    /// that was not closed that is its end since it was opened, cut off or removed as a file; and
    /// where something was changed in it, the last batch, which looks like a torn one.
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
                "\(lost.count) records from \(first) on are gone from a log, and it goes on "
                    + "from \(head.position)")
        }
    }
}
