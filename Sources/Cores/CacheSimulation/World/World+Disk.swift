import CacheInvalidation
import CacheModel
import PublisherCore

/// The publisher's log on its disk: the thread that writes it, and faults of the disk.
extension World {
    /// The wall time. Only the log's retention relies on it.
    var wallSeconds: UInt64 {
        UInt64(Int64(1_700_000_000 + now.nanoseconds / 1_000_000_000) + wallOffset)
    }

    /// Opens the log of a starting publisher.
    func openLog() -> SimulatedLog {
        let id = LogID(dice.next() | 1)
        disk?.wallSeconds = wallSeconds
        guard let disk else {
            return SimulatedLog(inMemoryAs: id, recordsMax: settings.logRecordsMax)
        }
        return SimulatedLog(
            on: disk, freshID: id, windowRecords: settings.windowRecordsMax,
            .init(
                granted: UInt32(leaseMilliseconds), longest: UInt32(settings.leaseMilliseconds)))
    }

    /// Saves the floors of the log at intervals, once they are known.
    func saveFloors() {
        guard let disk, !publisher.core.areFloorsComing, let floors = publisher.core.floors,
            dice.chance(perMille: 50)
        else { return }
        disk.contents.floors = floors
    }

    /// The log's thread has computed the floors of the records before the start.
    func floorsAreRead(_ generation: Int) {
        guard let disk, publisher.isUp, publisher.generation == generation,
            let floors = disk.recalledFloors()
        else { return }
        note(
            .publisher, "knows again what was touched since",
            Int(clamping: floors.completeSince.rawValue), at: floors.asOf.position)
        publisher.core.floorsArrived(floors)
    }

    /// Wakes the log's thread, if it has work and is idle.
    func wakeDisk() {
        guard let disk, disk.hasWork, !publisher.isDiskAtWork else { return }
        publisher.isDiskAtWork = true
        let span = dice.span(microseconds: settings.diskMicroseconds)
        queue.add(.diskWorks(generation: publisher.generation), at: now + span)
    }

    func diskWorks(_ generation: Int) {
        guard let disk, publisher.isUp, publisher.generation == generation else { return }
        guard publisher.pauseCount == 0 else {
            return queue.add(.diskWorks(generation: generation), at: now + .milliseconds(10))
        }
        publisher.isDiskAtWork = false
        disk.wallSeconds = wallSeconds
        let isFull =
            settings.faults.contains(.diskFaults) && !isCalm && dice.chance(perMille: 20)
        if let outcome = disk.work(isFull: isFull) {
            if outcome.refusal != nil { tally.refusedAppends += 1 }
            note(.publisher, "log has ended its append")
            publisher.outcomes.append(outcome)
            wakePublisher(at: soon())
        }
        wakeDisk()
    }

    /// Completes all pending writes, reports and answers; then the log is complete.
    func closeLog() throws(Violation) {
        guard let disk else { return }
        let clock = publisher.clock.reading(at: now)
        var actions: [PublisherAction] = []
        while disk.hasWork {
            if let outcome = disk.work() {
                publisher.outcomes.append(outcome)
            }
        }
        for outcome in publisher.outcomes {
            publisher.core.appended(outcome, now: clock, into: &actions)
        }
        publisher.outcomes = []
        publisher.core.stop(into: &actions)
        for action in actions { try perform(action) }
        noteTold()
        disk.close(granted: leaseToStamp)
        if !publisher.core.areFloorsComing { disk.contents.floors = publisher.core.floors }
    }

    /// The effect of the publisher's death on the disk.
    func loseDisk() {
        guard let disk else { return }
        disk.crash(losesPower: dice.chance(perMille: 400), &dice)
        guard settings.faults.contains(.diskFaults), dice.chance(perMille: 500) else { return }
        publisher.damage = disk.damage(publisher.copies, &dice)
        if publisher.damage != nil {
            tally.diskFaults += 1
            let kind = SimulatedDisk.Damage.allCases.firstIndex { $0 == publisher.damage }
            note(.publisher, "log is damaged, kind", kind ?? 0)
        }
    }

    /// Notes the position of the publisher's log, and its durable position.
    func noteTold() {
        let head = publisher.core.log.head
        if head.position.epoch > publisher.openedEpoch {
            publisher.openedEpoch = head.position.epoch
            // The notes of an earlier publisher no longer count.
            publisher.bookLostStep = max(publisher.bookLostStep, publisher.bookReadStep)
        }
        guard publisher.core.log.hasHistory else { return }
        chronicle.noteEpoch(
            head.position.epoch, of: publisher.core.log.id, step: step,
            generation: publisher.generation)
        guard let disk else { return }
        publisher.durableHead = head
        publisher.toldID = publisher.core.log.id
        if dice.chance(perMille: 30) {
            publisher.copies.append(disk.contents)
            if publisher.copies.count > 4 { publisher.copies.removeFirst() }
        }
    }

    /// Sets the wall clock to another hour.
    func jumpWallClock() {
        note(.publisher, "calendar jumps")
        wallOffset = dice.pick([-3_600, 0, 3_600])
    }
}
