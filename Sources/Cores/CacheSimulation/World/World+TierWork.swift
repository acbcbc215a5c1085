import CacheDisk
import CacheModel
import CacheNodeCore

/// The threads of a disk tier's file, and the closing of the file at the end of a run.
extension World {
    /// The duration of the file's next step.
    func workSpan(of shard: SimulatedShard) -> Span {
        guard let tiers = settings.tiers else { return .zero }
        let span = tierDice.span(microseconds: tiers.workMicroseconds)
        guard shard.attendant?.place.isSlow == true else { return span }
        return span + tierDice.span(microseconds: 1_000...1_500_000)
    }

    func goOnWriting(_ shard: SimulatedShard, _ storage: SimulatedTierStorage) {
        guard !storage.writes.isEmpty, !storage.isWriting else { return }
        storage.isWriting = true
        queue.add(
            .tierWrites(shard.place, storage: storage.number), at: now + workSpan(of: shard))
    }

    func tierWrites(_ shard: SimulatedShard, _ number: Int) {
        let run = runs[shard.place.run]
        guard !run.isDead, let storage = shard.attendant?.storage, storage.number == number,
            let place = shard.attendant?.place
        else { return }
        guard run.pauseCount == 0 else {
            return queue.add(
                .tierWrites(shard.place, storage: number), at: now + .milliseconds(10))
        }
        storage.isWriting = false
        guard !storage.writes.isEmpty else { return }
        storage.completions.append(carryOut(storage.writes.removeFirst(), storage, place))
        wake(shard, at: soon())
        goOnWriting(shard, storage)
    }

    func tierReads(_ shard: SimulatedShard, _ number: Int, _ ticket: DiskTicket) {
        let run = runs[shard.place.run]
        guard !run.isDead, let storage = shard.attendant?.storage, storage.number == number,
            let place = shard.attendant?.place
        else { return }
        guard run.pauseCount == 0 else {
            return queue.add(
                .tierReads(shard.place, storage: number, ticket), at: now + .milliseconds(10))
        }
        guard let command = storage.takeRead(ticket) else { return }
        storage.completions.append(carryOut(command, storage, place))
        wake(shard, at: soon())
    }

    private func carryOut(
        _ command: DiskCommand, _ storage: SimulatedTierStorage, _ place: SimulatedTierPlace
    ) -> DiskCompletion {
        (storage.file.writeFailure, storage.file.readFailure) =
            (place.writeFailure, place.readFailure)
        (storage.file.reserveFailure, storage.file.releaseFailure) =
            (place.reserveFailure, place.releaseFailure)
        let completion = storage.file.carryOut(command)
        switch (command, completion.outcome) {
        case (.write(_, let bytes, _), .failed):
            storage.file.tear(command, after: tierDice.below(bytes.count + 1))
        case (.synchronize, .done):
            place.synchronize()
            if tierDice.chance(perMille: 100) { place.copy() }
        case (.read, .read): tally.tierReads += 1
        default: break
        }
        return completion
    }

    // MARK: Closing

    /// The process was killed: completed writes are there, and perhaps a part of the write in
    /// progress.
    func closeTiers(of run: SimulatedRun) {
        guard settings.tiers != nil else { return }
        for place in tierPlaces[run.node] {
            guard let storage = place.storage, storage.run == run.number else { continue }
            if let command = storage.writes.first, case .write(_, let bytes, _) = command,
                tierDice.chance(perMille: 400)
            {
                storage.file.tear(command, after: tierDice.below(bytes.count + 1))
            }
            place.release()
        }
        let isLeft = runs.contains { $0.node == run.node && !$0.isDead }
        if !isLeft, !isCalm { damageTiers(of: run.node) }
    }

    /// The process closes its tiers in order, or is killed meanwhile.
    func endTiers(of run: SimulatedRun) {
        guard settings.tiers != nil else { return }
        let clock = run.clock.reading(at: now)
        for shard in run.shards {
            guard let storage = shard.attendant?.storage, let place = shard.attendant?.place,
                shard.core.closeDisk(calendar: calendarMilliseconds, now: clock)
            else { continue }
            let stepsMax = tierDice.chance(perMille: 200) ? tierDice.below(8) : .max
            let isClosed = finish(shard, storage, place, stepsMax, clock)
            if isClosed { tally.tiersEnded += 1 }
            note(.shard(shard.place), "ends its disk tier, in order:", isClosed ? 1 : 0)
            place.release()
        }
    }

    private func finish(
        _ shard: SimulatedShard, _ storage: SimulatedTierStorage, _ place: SimulatedTierPlace,
        _ stepsMax: Int, _ clock: Instant
    ) -> Bool {
        var steps = 0
        while steps < stepsMax {
            steps += 1
            var commands: [DiskCommand] = []
            shard.core.takeDiskCommands(into: &commands)
            // A value that was read may have parts, which are read now.
            for command in commands {
                if case .read = command {
                    storage.reads.append(command)
                } else {
                    storage.writes.append(command)
                }
            }
            let read = storage.reads.popLast()
            guard let command = read ?? storage.writes.first else { return false }
            if read == nil { storage.writes.removeFirst() }
            shard.core.diskCompleted(
                storage.completions + [carryOut(command, storage, place)], now: clock)
            storage.completions = []
            for notice in shard.core.takeDiskNotices() {
                switch notice {
                case .closed: return true
                case .failed, .unusable: return false
                case .open, .damaged, .discarded, .room, .spaceKept: break
                }
            }
        }
        return false
    }
}
