import CacheModel
import CacheNodeCore
import CacheWire

/// The control threads of nodes: the counterpart of the server's ControlLoop, in the same order.
struct ControlThreads: WorldPart {
    /// Most frames of each channel in one turn, as in the server.
    private static let framesPerTurnMax = 256

    let nodes: SimulatedNodes
    let tiers: TierThreads
    let log: LogJudge

    var timeline: Timeline { nodes.timeline }

    func controlTurn(_ run: SimulatedRun) throws(Violation) {
        guard run.turnAt == now else { return }
        run.turnAt = nil
        guard run.runs else { return }
        let clock = run.clock.reading(at: now)
        guard run.roll == nil else { return try awaitTiers(run, clock) }
        takeLetters(run, clock)
        try perform(run)
        let live = Self.take(&run.connection.liveFrames, Self.framesPerTurnMax)
        for frame in live {
            frame.withUnsafeBytes {
                run.control.receivedLive(frame: $0, now: clock, into: &run.actions)
            }
        }
        try perform(run)
        for frame in Self.take(&run.connection.controlFrames, Self.framesPerTurnMax) {
            frame.withUnsafeBytes {
                run.control.receivedControl(frame: $0, now: clock, into: &run.actions)
            }
        }
        try perform(run)
        run.control.tick(now: clock, into: &run.actions)
        run.control.endTurn(now: clock, into: &run.actions)
        try perform(run)
        for frame in live { try log.judgeKnowledge(of: run, told: frame) }
        planNextTurn(run)
    }

    /// The loop before its core starts: it waits for all shards to open their disk tiers.
    private func awaitTiers(_ run: SimulatedRun, _ clock: Instant) throws(Violation) {
        guard tiers.areOpen(of: run) else { return }
        takeLetters(run, clock)
        try start(run)
    }

    /// The core starts.
    func start(_ run: SimulatedRun) throws(Violation) {
        run.control.start(now: run.clock.reading(at: now), into: &run.actions)
        try perform(run)
        nodes.wake(run, at: soon())
    }

    private func planNextTurn(_ run: SimulatedRun) {
        if !run.letters.isEmpty || !run.connection.liveFrames.isEmpty
            || !run.connection.controlFrames.isEmpty
        {
            nodes.wake(run, at: soon())
        } else if let deadline = run.control.nextDeadline {
            nodes.wake(run, at: max(soon(), run.clock.time(of: deadline) + .milliseconds(1)))
        }
    }

    private static func take(_ frames: inout [[UInt8]], _ countMax: Int) -> [[UInt8]] {
        let taken = Array(frames.prefix(countMax))
        frames.removeFirst(taken.count)
        return taken
    }

    private func takeLetters(_ run: SimulatedRun, _ clock: Instant) {
        let letters = run.letters
        run.letters = []
        for letter in letters { take(letter, run, clock) }
    }

    private func take(_ letter: SimulatedRun.Letter, _ run: SimulatedRun, _ clock: Instant) {
        switch letter {
        case .publish(let request):
            run.control.publish(request, now: clock, into: &run.actions)
        case .askHead(let shard, let number):
            run.control.askHead(shard, number: number, now: clock, into: &run.actions)
        case .applied(let shard, let mark):
            run.control.shardApplied(shard, mark: mark, now: clock, into: &run.actions)
        case .diskReady: break  // Handled at the start, before the core began.
        case .drain: run.control.drain(now: clock, into: &run.actions)
        case .drained(let shard): run.control.shardDrained(shard)
        case .gives: run.control.shardGives(now: clock)
        }
    }

    func perform(_ run: SimulatedRun) throws(Violation) {
        while !run.actions.isEmpty {
            let due = run.actions
            run.actions.removeAll(keepingCapacity: true)
            for action in due { try perform(action, run) }
        }
    }

    private func perform(
        _ action: NodeControlAction, _ run: SimulatedRun
    ) throws(Violation) {
        switch action {
        case .lives(let previous):
            // A node without a disk does not need it; the message is judged when it is sent.
            if settings.tiers != nil { nodes.post(.lives(previous: previous), to: run) }
        case .apply(let records, let isAwaited):
            nodes.post(.apply(records, isAwaited: isAwaited), to: run)
        case .forget(let mark, _, let isPending):
            note(.node(run.number), "tells its shards to forget", at: mark.position)
            nodes.post(.forget(mark, of: run.control.log, isPending: isPending), to: run)
        case .settle(let touched, let mark): nodes.post(.settle(touched, from: mark), to: run)
        case .setStanding(let standing): tell(standing, run)
        case .topology(let frame): nodes.post(.topology(frame), to: run)
        case .configuration:
            nodes.post(.configuration, to: run)
            nodes.postToOrigin(.policies, run)
        case .published(let shard, let ticket, let result):
            let shard = run.shards[shard.rawValue]
            var position: LogPosition?
            if case .success(let appended) = result { position = appended }
            nodes.post(.published(ticket: ticket, position: position), to: shard)
        case .headKnown(let shard, let number, let head):
            nodes.post(.headKnown(number: number, head: head), to: run.shards[shard.rawValue])
        case .sendControl(let bytes):
            nodes.network.send(
                .toPublisher(peer: run.connection.peer, bytes), over: run.links.toPublisher,
                run: run.number)
        case .resubscribe: nodes.resubscribe(run)
        case .subscribe(let endpoint): nodes.subscribe(run, to: endpoint)
        case .reconnectControl: nodes.connectControl(run)
        case .connectControl(let endpoint): nodes.connectControl(run, to: endpoint)
        case .fatal(let sentence):
            try Violation.unless(
                settings.membersChange || settings.hasSlots && run.memory.hasTwin,
                "node \(run.node) gives up: \(sentence)")
            nodes.kill(run)
        case .leave: timeline.add(.runEnds(run.number), at: soon())
        case .report(let report): try hear(report, run)
        }
    }

    /// No client here asks a shard why its node is not live, so a new reason alone is not reported.
    /// The course of a seed does not depend on the detail of reasons.
    private func tell(_ standing: NodeStanding, _ run: SimulatedRun) {
        var told = standing
        told.doubt = nil
        guard told != run.standingTold else { return }
        run.standingTold = told
        nodes.post(.standing(told), to: run)
    }

    private func hear(_ report: NodeControlReport, _ run: SimulatedRun) throws(Violation) {
        let place = Trace.Place.node(run.number)
        switch report {
        case .suspect:
            count(.suspicions)
            note(place, "is suspect")
        case .live: note(place, "is live", at: run.control.standing.head)
        case .gap(let after, let missingCount):
            count(.gaps)
            note(place, "misses records", Int(clamping: missingCount), at: after)
        case .diverged(let applied, _):
            count(.divergences)
            note(place, "is contradicted", at: applied)
        case .forgot(_, let position):
            count(.forgettings)
            note(place, "forgets", at: position)
        case .floorsLearned(let position):
            count(.floorSnapshots)
            note(place, "knows what was touched", at: position)
        case .floorsUnknown(let position):
            note(place, "is told of nothing since", at: position)
        case .newerForm(let position, _):
            throw Violation("node \(run.node) cannot read the record at \(position)")
        case .damagedFrame(let sentence):
            throw Violation("node \(run.node) cannot read what it was sent: \(sentence)")
        case .connected, .lostPublisher, .lostLiveChannel, .forgottenByPublisher, .replayed,
            .refused, .draining, .drained, .calendarJumped, .publisherLeads,
            .publisherDoesNotLead, .publisherUnusable:
            break
        }
    }
}
