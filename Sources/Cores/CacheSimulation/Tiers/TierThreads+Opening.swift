import CacheDisk
import CacheModel
import CacheNodeCore

/// Opening a disk tier's file: the counterpart of the server's DiskAttendant and DiskOpener.
extension TierThreads {
    /// Retries the opening, if it is due.
    func retry(_ shard: SimulatedShard, _ clock: Instant) {
        guard let retryAt = shard.attendant?.retryAt, retryAt <= clock else { return }
        open(for: shard)
    }

    /// Begins to open the file. A message reports the outcome.
    func open(for shard: SimulatedShard) {
        guard let tiers = settings.tiers, var attendant = shard.attendant else { return }
        attendant.retryAt = nil
        attendant.begunAt = nodes.runs[shard.place.run].clock.reading(at: now)
        attendant.old = attendant.storage ?? attendant.old
        attendant.storage = nil
        attendant.openings += 1
        shard.attendant = attendant
        timeline.add(
            .tierOpens(shard.place, opening: attendant.openings),
            at: now + timeline.separate.tiers.span(microseconds: tiers.openMicroseconds))
    }

    /// The opener's thread has reached the file.
    func tierOpens(_ shard: SimulatedShard, _ opening: Int) {
        let run = nodes.runs[shard.place.run]
        guard !run.isDead, let attendant = shard.attendant, attendant.openings == opening else {
            return
        }
        guard run.pauseCount == 0 else {
            return timeline.add(
                .tierOpens(shard.place, opening: opening), at: now + .milliseconds(10))
        }
        if let old = attendant.old {
            // Waits for its pending commands.
            old.drain()
            if attendant.place.storage === old { attendant.place.release() }
            shard.attendant?.old = nil
        }
        let outcome = open(attendant, run)
        if case .opened(_, _, _, let writtenBy, _) = outcome {
            note(.shard(shard.place), "opens a disk tier, old:", writtenBy == nil ? 0 : 1)
        } else {
            note(.shard(shard.place), "cannot open its disk tier")
        }
        shard.letters.append(.disk(outcome, opening: opening))
        nodes.wake(shard, at: soon())
    }

    /// The counterpart of the server's DiskOpener.
    private func open(
        _ attendant: SimulatedAttendant, _ run: SimulatedRun
    ) -> SimulatedAttendant.Outcome {
        let place = attendant.place
        guard place.storage == nil, !place.isLocked else { return .failed }
        let machine = TierMachineFacts(
            boot: BootID(high: UInt64(run.node), low: UInt64(files.bootCounts[run.node])),
            calendar: timeline.calendarMilliseconds, file: place.imprint, birth: place.imprint)
        var owner = TierOwner(
            node: run.control.identity.node, shard: UInt16(place.shard),
            of: UInt16(settings.shardCount), machine: machine, geometry: place.geometry)
        let head = (place.image ?? []).prefix(Superblock.bytes)
        var opening =
            attendant.anew.map { DiskOpening.anew($0) }
            ?? .judge(head.count < Superblock.bytes ? [] : Array(head), for: owner)
        if case .resume = opening, place.image?.count != place.geometry.fileBytes {
            opening = .anew(.unusable(.failed(.cut)))
        }
        let clock = run.clock.reading(at: now)
        let incarnation = run.incarnation.rawValue
        switch opening {
        case .anew(let cause):
            guard place.writeFailure == nil else { return .failed }
            place.makeAnew()
            (owner.machine.file, owner.machine.birth) = (place.imprint, place.imprint)
            let tierClock = TierClock(startingAt: clock)
            var superblock = Superblock(
                for: owner, tier: timeline.separate.tiers.next(), incarnation: incarnation)
            superblock.clockBase = tierClock.base
            count(.disksBegun)
            return .opened(
                files.open(place, by: run), superblock, tierClock, writtenBy: nil, cause)
        case .resume(let found):
            let tierClock = TierClock(
                continuing: found, boot: machine.boot, now: clock,
                calendar: timeline.calendarMilliseconds)
            return .opened(
                files.open(place, by: run), found.opened(by: incarnation, on: machine, tierClock),
                tierClock, writtenBy: Incarnation(found.incarnation), nil)
        }
    }

    /// The opener has finished.
    func opened(
        _ outcome: SimulatedAttendant.Outcome, _ opening: Int, by shard: SimulatedShard,
        _ clock: Instant
    ) {
        guard shard.attendant?.openings == opening else { return }
        switch outcome {
        case .failed:
            shard.attendant?.retryAt = clock.advanced(by: retryInterval)
            // Until then the shard stores without its file, so the file's contents become outdated.
            let cause = DiskFailure.device("the shard has begun without it")
            let known = shard.attendant?.anew
            shard.attendant?.anew = known ?? .unusable(.failed(cause))
            shard.core.goOnWithoutDisk()
        case .opened(let storage, let superblock, let tierClock, let writtenBy, _):
            shard.attendant?.storage = storage
            shard.attendant?.anew = nil
            if let writer = writtenBy.flatMap({ nodes.run(of: $0) }) {
                shard.memory.inherit(
                    writer.shards[shard.place.shard].memory, of: writer.incarnation, step: step)
            }
            var opened = OpenedDisk(
                superblock, tail: storage.file.tail, clock: tierClock, writtenBy: writtenBy)
            // Some runs are without the setting.
            if let space = files.space, !timeline.separate.space.chance(perMille: 150) {
                opened.space = space.rule
                opened.segmentCount = space.rule.segmentCount(
                    freeBytes: shard.attendant?.place.freeBytes ?? 0, nodeBytes: 0,
                    fileBytes: 0, superblock.geometry)
            }
            shard.core.attachDisk(opened, now: clock)
        }
    }
}

/// The disk tier's file as seen by a shard's loop: the counterpart of the server's `DiskAttendant`.
struct SimulatedAttendant {
    /// The reports of the opener's thread.
    enum Outcome {
        case opened(
            SimulatedTierStorage, Superblock, TierClock, writtenBy: Incarnation?, AnewCause?)
        case failed
    }

    let place: SimulatedTierPlace
    var storage: SimulatedTierStorage?
    /// When to retry; `nil` while there is a file, or one is being opened.
    var retryAt: Instant?
    /// Why the contents of the file must be discarded.
    var anew: AnewCause?
    var begunAt = Instant(nanoseconds: 0)
    /// A file to close before another one is opened.
    var old: SimulatedTierStorage?
    /// The number of the present opening.
    var openings = 0
    /// The shard's position in the publisher's log when its tier was first opened.
    var openedAt: RecoveredPlace?
    /// Whether the control thread knows the shard's start position.
    var isSaid = false
}
