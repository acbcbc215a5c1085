import CacheInvalidation
import CacheModel
import PublisherCore

/// The publisher's log on its disk: the thread that writes it, and the faults of the disk.
///
/// Without a disk each start begins a log in memory, and nothing else happens here.
final class LogThread: WorldPart {
    let timeline: Timeline
    private let publisher: SimulatedPublisher
    /// `nil`: the log is in memory.
    let disk: SimulatedDisk?
    /// Reports that the publisher has not received yet.
    private var outcomes: [LogOutcome] = []
    private var isAtWork = false
    /// The damage to the disk since the last publisher died.
    var damage: SimulatedDisk.Damage?
    /// Earlier contents of the disk.
    private var copies: [SimulatedDisk.Contents] = []

    init(_ publisher: SimulatedPublisher) {
        (timeline, self.publisher) = (publisher.timeline, publisher)
        disk = publisher.settings.makeDisk()
    }

    /// Opens the log of a starting publisher.
    ///
    /// - Parameter grantedMilliseconds: the lease that it will grant.
    func open(grantedMilliseconds: Int) -> SimulatedLog {
        let id = LogID(dice.next() | 1)
        (outcomes, isAtWork) = ([], false)
        guard let disk else {
            return SimulatedLog(inMemoryAs: id, recordsMax: settings.logRecordsMax)
        }
        disk.wallSeconds = timeline.wallSeconds
        return SimulatedLog(
            on: disk, freshID: id, windowRecords: settings.windowRecordsMax,
            .init(
                granted: UInt32(grantedMilliseconds),
                longest: UInt32(settings.leaseMilliseconds)))
    }

    // MARK: Work

    func takeOutcomes() -> [LogOutcome] {
        let taken = outcomes
        outcomes = []
        return taken
    }

    /// Completes all pending work at once.
    func finish() {
        while let disk, disk.hasWork {
            if let outcome = disk.work() { outcomes.append(outcome) }
        }
    }

    /// Wakes the thread, if it has work and is idle.
    func wake() {
        guard let disk, disk.hasWork, !isAtWork else { return }
        isAtWork = true
        let span = dice.span(microseconds: settings.diskMicroseconds)
        timeline.add(.diskWorks(generation: publisher.generation), at: now + span)
    }

    func diskWorks(_ generation: Int) {
        guard let disk, publisher.isUp, publisher.generation == generation else { return }
        guard publisher.pauseCount == 0 else {
            return timeline.add(.diskWorks(generation: generation), at: now + .milliseconds(10))
        }
        isAtWork = false
        disk.wallSeconds = timeline.wallSeconds
        let isFull =
            settings.faults.contains(.diskFaults) && !isCalm && dice.chance(perMille: 20)
        if let outcome = disk.work(isFull: isFull) {
            if outcome.refusal != nil { count(.refusedAppends) }
            note(.publisher, "log has ended its append")
            outcomes.append(outcome)
            publisher.wake(at: soon())
        }
        wake()
    }

    // MARK: Floors and copies

    /// Saves the floors of the log at intervals, once they are known.
    func saveFloors() {
        guard let disk, !publisher.core.areFloorsComing, let floors = publisher.core.floors,
            dice.chance(perMille: 50)
        else { return }
        disk.contents.floors = floors
    }

    /// The thread has computed the floors of the records before the start.
    func floorsAreRead(_ generation: Int) {
        guard let disk, publisher.isUp, publisher.generation == generation,
            let floors = disk.recalledFloors()
        else { return }
        note(
            .publisher, "knows again what was touched since",
            Int(clamping: floors.completeSince.rawValue), at: floors.asOf.position)
        publisher.core.floorsArrived(floors)
    }

    /// Sometimes copies the disk, for a later fault to restore.
    func drawCopy() {
        guard let disk, dice.chance(perMille: 30) else { return }
        copies.append(disk.contents)
        if copies.count > 4 { copies.removeFirst() }
    }

    // MARK: Faults

    /// The effect of the publisher's death on the disk.
    func lose() {
        guard let disk else { return }
        disk.crash(losesPower: dice.chance(perMille: 400), &dice)
        guard settings.faults.contains(.diskFaults), dice.chance(perMille: 500) else { return }
        damage = disk.damage(copies, &dice)
        if damage != nil {
            count(.diskFaults)
            let kind = SimulatedDisk.Damage.allCases.firstIndex { $0 == damage }
            note(.publisher, "log is damaged, kind", kind ?? 0)
        }
    }

    /// Sometimes damages the disk of a publisher that ended in order.
    func damageClosed() {
        guard let disk, settings.faults.contains(.diskFaults), dice.chance(perMille: 300) else {
            return
        }
        damage = disk.damage(copies, &dice)
    }

    /// Sets the wall clock to another hour.
    func jumpWallClock() {
        note(.publisher, "calendar jumps")
        timeline.wallOffset = dice.pick([-3_600, 0, 3_600])
    }
}
