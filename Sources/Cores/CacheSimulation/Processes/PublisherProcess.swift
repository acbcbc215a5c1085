import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore

/// A publisher's process: its start and end, and its thread, the counterpart of the server's
/// PublisherLoop in the same order.
struct PublisherProcess: WorldPart {
    let nodes: SimulatedNodes
    let log: LogThread
    let configuration: ClusterConfiguration
    let judges: Judges
    let channels: PublisherChannels

    var timeline: Timeline { nodes.timeline }
    private var publisher: SimulatedPublisher { nodes.publisher }

    // MARK: Start and end

    func start() throws(Violation) {
        guard !publisher.isUp else { return }
        configuration.drawLease()
        configuration.keepUnknownMembers()
        publisher.start(
            configuration.plan, log.open(grantedMilliseconds: configuration.leaseMilliseconds),
            generation: nodes.publishers.nextGeneration())
        publisher.memory.membersAtStart = configuration.listed
        if !publisher.core.resumeLives(log.disk?.contents.lives) {
            throw Violation("a publisher cannot read its file of the runs of nodes")
        }
        judges.lives.noteTable(
            isStored: log.disk?.contents.lives != nil, openedEpoch: judges.log.openedEpoch)
        count(.publisherStarts)
        note(.publisher, "starts", publisher.generation)
        let damage = log.damage
        log.damage = nil
        if try judges.log.judgeRecovery(after: damage) {
            // An epoch that a start begins is on the disk before any other event.
            noteTold()
        }
        try resumeSlots()
        if damage != nil { judges.log.chronicle.noteDamagedStart(publisher.generation) }
        judges.log.noteJoined()
        if publisher.core.areFloorsComing {
            let longest = dice.pick([2_000, 400_000, 3_000_000])
            plan(.floorsAreRead(generation: publisher.generation), within: 100...longest)
        }
        publisher.connectWriter()
        for run in nodes.alive { plan(.reconnects(run: run.number), within: 100...100_000) }
        publisher.wake(at: soon())
    }

    /// Only a fault of the disk loses the stored owners of slots, with two exceptions.
    private func resumeSlots() throws(Violation) {
        guard let loss = publisher.core.resumeSlots(log.disk?.contents.slots) else { return }
        try Violation.unless(
            settings.faults.contains(.diskFaults) || loss.isExplained(by: settings),
            "the stored owners of slots do not continue, though nothing was lost: \(loss)")
        count(.epochs)
        noteTold()
    }

    /// Ends the publisher in order.
    func stop() throws(Violation) {
        guard publisher.runs else { return }
        try closeLog()
        end()
        log.damageClosed()
        planStart()
    }

    /// Completes all pending writes, reports and answers; then the log is complete.
    private func closeLog() throws(Violation) {
        guard let disk = log.disk else { return }
        let clock = publisher.clock.reading(at: now)
        var actions: [PublisherAction] = []
        log.finish()
        for outcome in log.takeOutcomes() {
            publisher.core.appended(outcome, now: clock, into: &actions)
        }
        publisher.core.stop(into: &actions)
        for action in actions { try perform(action) }
        noteTold()
        disk.close(granted: configuration.leaseToStamp)
        if !publisher.core.areFloorsComing { disk.contents.floors = publisher.core.floors }
    }

    func die() {
        guard publisher.isUp else { return }
        end()
        log.lose()
        planStart()
    }

    private func end() {
        note(.publisher, "dies", publisher.generation)
        publisher.end()
        for run in nodes.alive { nodes.loseConnections(run) }
    }

    private func planStart() {
        plan(.publisherStarts(publisher.index), within: 1_000...1_000 * settings.leaseMilliseconds)
    }

    // MARK: The thread

    func turn() throws(Violation) {
        guard publisher.turnAt == now else { return }
        publisher.turnAt = nil
        guard publisher.runs else { return }
        let clock = publisher.clock.reading(at: now)
        let epochsBefore = publisher.core.statistics.epochsOpened
        var actions: [PublisherAction] = []
        for outcome in log.takeOutcomes() {
            publisher.core.appended(outcome, now: clock, into: &actions)
        }
        let frames = publisher.frames
        publisher.frames = []
        for (peer, bytes) in frames {
            try channels.note(bytes, from: peer)
            bytes.withUnsafeBytes {
                publisher.core.received(
                    $0, from: RequestSender(PublisherChannels.peer(peer)), now: clock,
                    into: &actions)
            }
        }
        for _ in 0..<publisher.subscriptionCount { publisher.core.subscribed(now: clock) }
        publisher.subscriptionCount = 0
        publisher.core.tick(now: clock, into: &actions)
        try judges.log.judgeHistory(before: actions)
        count(.epochs, Int(publisher.core.statistics.epochsOpened - epochsBefore))
        noteTold()
        guard try perform(actions) else { return }
        log.saveFloors()
        log.wake()
        let deadline = publisher.clock.time(of: publisher.core.nextDeadline)
        publisher.wake(at: max(soon(), deadline))
    }

    /// Performs the core's actions, unless the process is killed among them.
    ///
    /// - Returns: whether the process continues.
    private func perform(_ actions: [PublisherAction]) throws(Violation) -> Bool {
        let isFatal =
            settings.faults.contains(.publisherDeaths) && !isCalm && dice.chance(perMille: 1)
        guard isFatal, !actions.isEmpty else {
            for action in actions { try perform(action) }
            return true
        }
        for action in actions.prefix(dice.below(actions.count)) { try perform(action) }
        die()
        return false
    }

    private func perform(_ action: PublisherAction) throws(Violation) {
        switch action {
        case .broadcast(let frame): try channels.broadcast(frame)
        case .reply(let peer, let frame, _): try channels.reply(frame, to: peer)
        case .keep: break  // No client paces an invalidation here.
        case .confirm, .stepDown: preconditionFailure("no other publisher leads this log")
        case .keepLives(let bytes): try keepLives(bytes)
        case .keepCluster: break
        case .keepSlots(let bytes): keepSlots(bytes)
        case .audit: break  // No client asks for an audit here.
        }
    }

    /// Notes the position of the publisher's log, and its durable position.
    private func noteTold() {
        if judges.log.noteTold() { judges.lives.noteEpoch() }
        judges.owners.noteTable()
        judges.log.noteJoined()
        if publisher.core.log.hasHistory { log.drawCopy() }
    }

    /// Stores the owners of slots, or fails to.
    private func keepSlots(_ bytes: [UInt8]) {
        guard let disk = log.disk else { return }
        let isFailed =
            settings.faults.contains(.diskFaults) && !isCalm
            && timeline.separate.slots.chance(perMille: 200)
        if !isFailed { disk.contents.slots = bytes }
        publisher.core.slotsKept(!isFailed, now: publisher.clock.reading(at: now))
    }

    /// Stores the table of lives, or fails to in one of three ways.
    private func keepLives(_ bytes: [UInt8]) throws(Violation) {
        guard let disk = log.disk else { return }
        var trouble: String?
        var isGone = false
        if settings.faults.contains(.diskFaults), !isCalm,
            timeline.separate.lives.chance(perMille: 100)
        {
            trouble = "the disk is full"
            switch timeline.separate.lives.below(3) {
            case 0: isGone = true
            case 1: disk.contents.lives = bytes
            default: break
            }
            if isGone { disk.contents.lives = nil }
        } else {
            disk.contents.lives = bytes
        }
        var actions: [PublisherAction] = []
        publisher.core.livesKept(
            trouble, isGone: isGone, now: publisher.clock.reading(at: now), into: &actions)
        for action in actions { try perform(action) }
    }
}

extension SlotsLoss {
    /// Whether the publisher can lose the stored owners so without a fault: a log of few records
    /// passes them before they are stored again, and a publisher may die before they are stored in
    /// a new epoch.
    func isExplained(by settings: Settings) -> Bool {
        self == .ofAnEarlierEpoch || self == .beforeRetention && settings.logRecordsMax <= 16
    }
}
