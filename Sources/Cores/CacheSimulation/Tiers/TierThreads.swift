import CacheDisk
import CacheModel
import CacheNodeCore

/// Disk tiers in a node's threads: the counterpart of the server's DiskAttendant, ShardLoop and
/// ControlLoop, in their order.
struct TierThreads: WorldPart {
    let nodes: SimulatedNodes

    var timeline: Timeline { nodes.timeline }
    var files: TierFiles { nodes.files }

    // MARK: Start of a node

    /// Every shard opens its tier; the control thread waits for all of them.
    func begin(of run: SimulatedRun) {
        run.roll = DiskRoll(shardCount: run.shards.count)
        for (shard, place) in zip(run.shards, files.places[run.node]) {
            step += 1
            shard.beganStep = step
            shard.attendant = SimulatedAttendant(place: place)
            open(for: shard)
            nodes.wake(shard, at: soon())
        }
    }

    /// Whether all shards of a run have opened their tiers. Then its core begins where they were.
    func areOpen(of run: SimulatedRun) -> Bool {
        var others: [SimulatedRun.Letter] = []
        for letter in run.letters {
            if case .diskReady(let shard, let place) = letter {
                run.roll?.note(place, of: shard)
            } else {
                others.append(letter)
            }
        }
        run.letters = others
        guard let roll = run.roll, roll.isComplete else { return false }
        run.roll = nil
        begin(run, roll)
        return true
    }

    /// Begins at the least position of the shards' tiers, or as a new node.
    private func begin(_ run: SimulatedRun, _ roll: DiskRoll) {
        guard let place = roll.common else { return nodes.post(.resume(at: nil), to: run) }
        note(.node(run.number), "goes on where its disk tiers were", at: place.mark.position)
        count(.diskResumptions)
        run.control = NodeControlCore(
            identity: run.control.identity, publishers: run.addresses,
            resuming: LogResumption(log: place.log, mark: place.mark), seed: run.seed,
            guards: settings.guards)
        nodes.post(.resume(at: place.mark), to: run)
        for beginner in roll.beginners {
            let shard = run.shards[beginner.rawValue]
            shard.isBeginner = true
            nodes.post(.forget(place.mark, of: place.log, isPending: false), to: shard)
        }
    }

    func resume(_ shard: SimulatedShard, at mark: LogMark?, _ clock: Instant) {
        shard.core.resume(at: mark, now: clock)
        guard shard.attendant?.openedAt != nil else { return }
        shard.memory.resume(at: mark ?? .none, step: step)
    }

    // MARK: A shard's loop

    /// Submits the tier's commands, and reads its reports.
    func perform(_ shard: SimulatedShard) {
        submit(from: shard)
        for notice in shard.core.takeDiskNotices() { obey(notice, shard) }
        guard shard.attendant?.isSaid == false, !shard.core.isDiskAwaited else { return }
        shard.attendant?.isSaid = true
        let run = nodes.runs[shard.place.run]
        run.letters.append(
            .diskReady(ShardIndex(shard.place.shard), shard.attendant?.openedAt))
        nodes.wake(run, at: soon())
    }

    /// Submits the tier's commands.
    private func submit(from shard: SimulatedShard) {
        var commands: [DiskCommand] = []
        shard.core.takeDiskCommands(into: &commands)
        guard let storage = shard.attendant?.storage else { return }
        for command in commands {
            guard case .read(let ticket, _, _) = command else {
                storage.writes.append(command)
                continue
            }
            storage.reads.append(command)
            timeline.add(
                .tierReads(shard.place, storage: storage.number, ticket),
                at: now + files.workSpan(at: shard.attendant?.place))
        }
        goOnWriting(shard, storage)
    }

    private func obey(_ notice: DiskNotice, _ shard: SimulatedShard) {
        let place = Trace.Place.shard(shard.place)
        let clock = nodes.runs[shard.place.run].clock.reading(at: now)
        switch notice {
        case .open(let entryCount, let goesOnFrom):
            note(
                place, "has its disk tier open, entries:", entryCount,
                at: goesOnFrom?.mark.position ?? .none)
            guard let goesOnFrom else { return }
            count(.disksRecovered)
            shard.attendant?.openedAt = goesOnFrom
            step += 1
            shard.memory.resume(at: goesOnFrom.mark, step: step)
        case .unusable(let cause):
            note(place, "cannot believe its disk tier, cause", Self.number(of: cause))
            count(.disksRefused)
            shard.attendant?.anew = .unusable(cause)
            open(for: shard)
        case .failed(let failure):
            note(place, "loses its disk tier")
            count(.disksLost)
            shard.attendant?.anew = .unusable(.failed(failure))
            let begunAt = shard.attendant?.begunAt
            shard.attendant?.retryAt = begunAt?.advanced(by: retryInterval)
            retry(shard, clock)
        case .damaged: note(place, "has lost a part of its disk tier")
        case .discarded:
            note(place, "discards what its disk tier held")
            count(.disksDiscarded)
        case .room(let bytes, _):
            note(place, "has so many bytes in its disk tier:", bytes)
            count(.diskTiersResized)
        case .spaceKept: note(place, "keeps the space of its disk tier")
        case .closed: note(place, "has ended its disk tier")
        }
    }

    private static func number(of cause: UnusableCause) -> Int {
        switch cause {
        case .tailDamaged: 1
        case .removalsMissing: 2
        case .noCheckpoint: 3
        case .failed: 4
        }
    }

    var retryInterval: Duration { settings.tiers?.retryInterval ?? .zero }

    /// Passes the completions of the tier's file to the shard.
    ///
    /// - Returns: whether there were any.
    func passCompletions(to shard: SimulatedShard, _ clock: Instant) -> Bool {
        guard let storage = shard.attendant?.storage, !storage.completions.isEmpty else {
            return false
        }
        step += 1
        let completions = storage.completions
        storage.completions = []
        shard.core.diskCompleted(completions, now: clock)
        if shard.core.isTickUrgent { shard.nextTick = min(shard.nextTick, clock) }
        return true
    }

    /// A shard asks how much is free, if the file systems ever run short.
    func noteFreeBytes(_ shard: SimulatedShard) {
        guard files.space != nil, let free = shard.attendant?.place.freeBytes else { return }
        shard.core.noteDiskFreeBytes(free)
    }

    /// A shard with a tier wakes at each tick.
    func planTurn(_ shard: SimulatedShard) {
        if shard.core.isOverBudget { return nodes.wake(shard, at: soon()) }
        let deadline = min(shard.nextTick, shard.core.nextDeadline ?? shard.nextTick)
        let time = nodes.runs[shard.place.run].clock.time(of: deadline)
        nodes.wake(shard, at: max(soon(), time))
    }
}
