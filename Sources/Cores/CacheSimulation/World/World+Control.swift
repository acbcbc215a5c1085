import CacheModel
import CacheNodeCore

/// A node's control thread: the counterpart of the server's ControlLoop, in the same order.
extension World {
    /// Most frames of each channel in one turn, as in the server.
    private static let framesPerTurnMax = 256

    func wake(_ run: SimulatedRun, at time: WorldTime) {
        if let planned = run.turnAt, planned <= time { return }
        run.turnAt = time
        queue.add(.controlTurns(run: run.number), at: time)
    }

    func controlTurn(_ run: SimulatedRun) throws(Violation) {
        guard run.turnAt == now else { return }
        run.turnAt = nil
        guard run.runs else { return }
        guard run.roll == nil else { return try awaitTiers(run) }
        let clock = run.clock.reading(at: now)
        takeLetters(run, clock)
        try perform(run)
        let live = Self.take(&run.liveFrames, Self.framesPerTurnMax)
        for frame in live {
            frame.withUnsafeBytes {
                run.control.receivedLive(frame: $0, now: clock, into: &run.actions)
            }
        }
        try perform(run)
        for frame in Self.take(&run.controlFrames, Self.framesPerTurnMax) {
            frame.withUnsafeBytes {
                run.control.receivedControl(frame: $0, now: clock, into: &run.actions)
            }
        }
        try perform(run)
        run.control.tick(now: clock, into: &run.actions)
        run.control.endTurn(now: clock, into: &run.actions)
        try perform(run)
        for frame in live { try judgeKnowledge(of: run, told: frame) }
        planNextTurn(run)
    }

    private func planNextTurn(_ run: SimulatedRun) {
        if !run.letters.isEmpty || !run.liveFrames.isEmpty || !run.controlFrames.isEmpty {
            wake(run, at: soon())
        } else if let deadline = run.control.nextDeadline {
            wake(run, at: max(soon(), run.clock.time(of: deadline) + .milliseconds(1)))
        }
    }

    static func take(_ frames: inout [[UInt8]], _ countMax: Int) -> [[UInt8]] {
        let taken = Array(frames.prefix(countMax))
        frames.removeFirst(taken.count)
        return taken
    }

    private func takeLetters(_ run: SimulatedRun, _ clock: Instant) {
        let letters = run.letters
        run.letters = []
        for letter in letters { take(letter, run, clock) }
    }

    func take(_ letter: SimulatedRun.Letter, _ run: SimulatedRun, _ clock: Instant) {
        switch letter {
        case .publish(let request):
            run.control.publish(request, now: clock, into: &run.actions)
        case .askHead(let shard, let number):
            run.control.askHead(shard, number: number, now: clock, into: &run.actions)
        case .applied(let shard, let mark):
            run.control.shardApplied(shard, mark: mark, now: clock, into: &run.actions)
        case .diskReady: break  // Handled at the start, before the core began.
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
            if settings.tiers != nil { post(.lives(previous: previous), to: run) }
        case .apply(let records, let isAwaited):
            post(.apply(records, isAwaited: isAwaited), to: run)
        case .forget(let mark, _, let isPending):
            note(.node(run.number), "tells its shards to forget", at: mark.position)
            post(.forget(mark, of: run.control.log, isPending: isPending), to: run)
        case .settle(let touched, let mark): post(.settle(touched, from: mark), to: run)
        case .setStanding(let standing): tell(standing, run)
        case .topology(let frame): post(.topology(frame), to: run)
        case .configuration:
            post(.configuration, to: run)
            postToOrigin(.policies, run)
        case .published(let shard, let ticket, let result):
            let shard = run.shards[shard.rawValue]
            var position: LogPosition?
            if case .success(let appended) = result { position = appended }
            shard.letters.append(.published(ticket: ticket, position: position))
            wake(shard, at: soon())
        case .headKnown(let shard, let number, let head):
            let shard = run.shards[shard.rawValue]
            shard.letters.append(.headKnown(number: number, head: head))
            wake(shard, at: soon())
        case .sendControl(let bytes):
            send(
                .toPublisher(peer: run.peer, bytes), over: run.links.toPublisher, run: run.number)
        case .resubscribe: resubscribe(run)
        case .reconnectControl: connectControl(run)
        case .fatal(let sentence):
            guard settings.membersChange else {
                throw Violation("node \(run.node) gives up: \(sentence)")
            }
            kill(run)
        case .leave: preconditionFailure("this world never drains a node")
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
        post(.standing(told), to: run)
    }

    func post(_ letter: SimulatedShard.Letter, to run: SimulatedRun) {
        for shard in run.shards {
            shard.letters.append(letter)
            wake(shard, at: soon())
        }
    }

    private func hear(_ report: NodeControlReport, _ run: SimulatedRun) throws(Violation) {
        let place = Trace.Place.node(run.number)
        switch report {
        case .suspect:
            tally.suspicions += 1
            note(place, "is suspect")
        case .live: note(place, "is live", at: run.control.standing.head)
        case .gap(let after, let count):
            tally.gaps += 1
            note(place, "misses records", Int(clamping: count), at: after)
        case .diverged(let applied, _):
            tally.divergences += 1
            note(place, "is contradicted", at: applied)
        case .forgot(_, let position):
            tally.forgettings += 1
            note(place, "forgets", at: position)
        case .floorsLearned(let position):
            tally.floorSnapshots += 1
            note(place, "knows what was touched", at: position)
        case .floorsUnknown(let position):
            note(place, "is told of nothing since", at: position)
        case .newerForm(let position, _):
            throw Violation("node \(run.node) cannot read the record at \(position)")
        case .damagedFrame(let sentence):
            throw Violation("node \(run.node) cannot read what it was sent: \(sentence)")
        case .connected, .lostPublisher, .lostLiveChannel, .forgottenByPublisher, .replayed,
            .refused, .draining, .drained, .calendarJumped:
            break
        }
    }
}
