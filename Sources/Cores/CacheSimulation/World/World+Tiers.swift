import CacheDisk
import CacheModel
import CacheNodeCore

/// Disk tiers in a node's threads: the counterpart of the server's DiskAttendant, ShardLoop and
/// ControlLoop, in their order.
extension World {
    func makeTierPlaces() {
        guard let tiers = settings.tiers else { return }
        for node in 0..<settings.nodeCount {
            tierPlaces.append(
                (0..<settings.shardCount).map {
                    SimulatedTierPlace(node: node, shard: $0, geometry: tiers.geometry)
                })
        }
        bootCounts = Array(repeating: 1, count: settings.nodeCount)
        lastStores = Array(repeating: [:], count: settings.nodeCount)
    }

    // MARK: Start of a node

    /// Every shard opens its tier; the control thread waits for all of them.
    func beginTiers(of run: SimulatedRun) {
        run.roll = DiskRoll(shardCount: run.shards.count)
        for (shard, place) in zip(run.shards, tierPlaces[run.node]) {
            step += 1
            shard.beganStep = step
            shard.attendant = SimulatedAttendant(place: place)
            beginTier(of: shard)
            wake(shard, at: soon())
        }
    }

    /// The control thread's loop before its core starts.
    func awaitTiers(_ run: SimulatedRun) throws(Violation) {
        var others: [SimulatedRun.Letter] = []
        for letter in run.letters {
            if case .diskReady(let shard, let place) = letter {
                run.roll?.note(place, of: shard)
            } else {
                others.append(letter)
            }
        }
        guard let roll = run.roll, roll.isComplete else { return run.letters = others }
        run.letters = []
        run.roll = nil
        begin(run, roll)
        let clock = run.clock.reading(at: now)
        for letter in others { take(letter, run, clock) }
        run.control.start(now: clock, into: &run.actions)
        try perform(run)
        wake(run, at: soon())
    }

    /// Begins at the least position of the shards' tiers, or as a new node.
    private func begin(_ run: SimulatedRun, _ roll: DiskRoll) {
        guard let place = roll.common else { return post(.resume(at: nil), to: run) }
        note(.node(run.number), "goes on where its disk tiers were", at: place.mark.position)
        tally.tierResumptions += 1
        run.control = NodeControlCore(
            identity: run.control.identity,
            resuming: LogResumption(log: place.log, mark: place.mark), seed: run.seed,
            guards: settings.guards)
        post(.resume(at: place.mark), to: run)
        for beginner in roll.beginners {
            let shard = run.shards[beginner.rawValue]
            shard.isBeginner = true
            shard.letters.append(.forget(place.mark, of: place.log, isPending: false))
            wake(shard, at: soon())
        }
    }

    func resume(_ shard: SimulatedShard, at mark: LogMark?, _ clock: Instant) {
        shard.core.resume(at: mark, now: clock)
        guard shard.attendant?.openedAt != nil else { return }
        shard.memory.resume(at: mark ?? .none, step: step)
    }

    // MARK: A shard's loop

    /// Submits the tier's commands, and reads its reports.
    func performTier(_ shard: SimulatedShard) {
        submit(from: shard)
        for notice in shard.core.takeDiskNotices() { obey(notice, shard) }
        guard shard.attendant?.isSaid == false, !shard.core.isDiskAwaited else { return }
        shard.attendant?.isSaid = true
        let run = runs[shard.place.run]
        run.letters.append(
            .diskReady(ShardIndex(shard.place.shard), shard.attendant?.openedAt))
        wake(run, at: soon())
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
            queue.add(
                .tierReads(shard.place, storage: storage.number, ticket),
                at: now + workSpan(of: shard))
        }
        goOnWriting(shard, storage)
    }

    private func obey(_ notice: DiskNotice, _ shard: SimulatedShard) {
        let place = Trace.Place.shard(shard.place)
        let clock = runs[shard.place.run].clock.reading(at: now)
        switch notice {
        case .open(let entryCount, let goesOnFrom):
            note(
                place, "has its disk tier open, entries:", entryCount,
                at: goesOnFrom?.mark.position ?? .none)
            guard let goesOnFrom else { return }
            tally.tiersRecovered += 1
            shard.attendant?.openedAt = goesOnFrom
            step += 1
            shard.memory.resume(at: goesOnFrom.mark, step: step)
        case .unusable(let cause):
            note(place, "cannot believe its disk tier, cause", Self.number(of: cause))
            tally.tiersRefused += 1
            shard.attendant?.anew = .unusable(cause)
            beginTier(of: shard)
        case .failed(let failure):
            note(place, "loses its disk tier")
            tally.tiersLost += 1
            shard.attendant?.anew = .unusable(.failed(failure))
            let begunAt = shard.attendant?.begunAt
            shard.attendant?.retryAt = begunAt?.advanced(by: retryInterval)
            retry(shard, clock)
        case .damaged: note(place, "has lost a part of its disk tier")
        case .discarded:
            note(place, "discards what its disk tier held")
            tally.tiersDiscarded += 1
        case .room(let bytes, _):
            note(place, "has so many bytes in its disk tier:", bytes)
            tally.tiersResized += 1
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
    func takeCompletions(_ shard: SimulatedShard, _ clock: Instant) throws(Violation) {
        guard let storage = shard.attendant?.storage, !storage.completions.isEmpty else { return }
        step += 1
        let completions = storage.completions
        storage.completions = []
        shard.core.diskCompleted(completions, now: clock)
        if shard.core.isTickUrgent { shard.nextTick = min(shard.nextTick, clock) }
        try perform(shard)
    }

    /// Evicts a few entries, while they exceed the memory limit.
    func shrink(_ shard: SimulatedShard, _ clock: Instant) throws(Violation) {
        guard shard.core.isOverBudget else { return }
        shard.core.shrink(now: clock)
        try perform(shard)
    }

    func tickTier(_ shard: SimulatedShard, _ clock: Instant) throws(Violation) {
        retry(shard, clock)
        try perform(shard)
    }

    /// A shard with a tier wakes at each tick.
    func planTierTurn(_ shard: SimulatedShard) {
        if shard.core.isOverBudget { return wake(shard, at: soon()) }
        let deadline = min(shard.nextTick, shard.core.nextDeadline ?? shard.nextTick)
        let time = runs[shard.place.run].clock.time(of: deadline)
        wake(shard, at: max(soon(), time))
    }
}
