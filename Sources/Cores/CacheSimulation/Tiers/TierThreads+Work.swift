import CacheDisk
import CacheModel
import CacheNodeCore

/// The threads of a disk tier's file, and the closing of the file at the end of a run.
extension TierThreads {
    func goOnWriting(_ shard: SimulatedShard, _ storage: SimulatedTierStorage) {
        guard !storage.writes.isEmpty, !storage.isWriting else { return }
        storage.isWriting = true
        timeline.add(
            .tierWrites(shard.place, storage: storage.number),
            at: now + files.workSpan(at: shard.attendant?.place))
    }

    func tierWrites(_ shard: SimulatedShard, _ number: Int) {
        let event = Event.tierWrites(shard.place, storage: number)
        guard let (storage, place) = open(number, of: shard, for: event) else { return }
        storage.isWriting = false
        guard !storage.writes.isEmpty else { return }
        storage.completions.append(files.carryOut(storage.writes.removeFirst(), storage, place))
        nodes.wake(shard, at: soon())
        goOnWriting(shard, storage)
    }

    func tierReads(_ shard: SimulatedShard, _ number: Int, _ ticket: DiskTicket) {
        let event = Event.tierReads(shard.place, storage: number, ticket)
        guard let (storage, place) = open(number, of: shard, for: event),
            let command = storage.takeRead(ticket)
        else { return }
        storage.completions.append(files.carryOut(command, storage, place))
        nodes.wake(shard, at: soon())
    }

    /// The file that an event is for; `nil` if it is not open any more, or if its process is
    /// paused: then the event comes again.
    private func open(
        _ number: Int, of shard: SimulatedShard, for event: Event
    ) -> (SimulatedTierStorage, SimulatedTierPlace)? {
        let run = nodes.runs[shard.place.run]
        guard !run.isDead, let storage = shard.attendant?.storage, storage.number == number,
            let place = shard.attendant?.place
        else { return nil }
        guard run.pauseCount == 0 else {
            timeline.add(event, at: now + .milliseconds(10))
            return nil
        }
        return (storage, place)
    }

    // MARK: Closing

    /// The process closes its tiers in order, or is killed meanwhile.
    func end(of run: SimulatedRun) {
        guard settings.tiers != nil else { return }
        let clock = run.clock.reading(at: now)
        for shard in run.shards {
            guard let storage = shard.attendant?.storage, let place = shard.attendant?.place,
                shard.core.closeDisk(calendar: timeline.calendarMilliseconds, now: clock)
            else { continue }
            let stepsMax =
                timeline.separate.tiers.chance(perMille: 200)
                ? timeline.separate.tiers.below(8) : .max
            let isClosed = finish(shard, storage, place, stepsMax, clock)
            if isClosed { count(.disksEnded) }
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
                storage.completions + [files.carryOut(command, storage, place)], now: clock)
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
