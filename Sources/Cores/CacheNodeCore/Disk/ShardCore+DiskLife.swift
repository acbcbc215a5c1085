package import CacheDisk
import CacheMemory
package import CacheModel
import CacheWire

/// The disk tier's life: opened, checkpointed, ended, lost.
extension ShardCore {
    /// The shell has opened the tier's file.
    ///
    /// A new one begins empty. Of one that goes on everything is read first; until then no request
    /// about keys is answered.
    package mutating func attachDisk(_ opened: OpenedDisk, now: Instant) {
        precondition(disk == nil, "a shard has one disk tier")
        let disk = ShardDisk(
            opened, bytesPerSecond: options.diskWriteBytesPerSecond, guards: options.guards,
            now: now)
        disk.epochOrdinal = log.epochOrdinal
        disk.namespaces.learn(namespaces.names)
        disk.setShares(namespaces.diskShares)
        self.disk = disk
        tier.keeper = disk
        if opened.isNew {
            disk.tier.beginAnew(
                diskCheckpoint(disk), withRoomFor: opened.segmentCount, into: &disk.commands)
        } else {
            disk.tier.beginRecovery(into: &disk.commands, news: &disk.news)
        }
        takeDiskNews(now: now)
    }

    /// There is no file, or none that can be used now: the shard goes on with its memory.
    package mutating func goOnWithoutDisk() { isDiskAwaited = false }

    /// The file has become useless: its tail is not the disk's any more.
    package mutating func diskWasLost(_ failure: DiskFailure, now: Instant) {
        guard let disk else { return }
        disk.tier.giveUp(failure, news: &disk.news)
        takeDiskNews(now: now)
    }

    /// So much is free on the file system of the tier now; once a second at most.
    package mutating func noteDiskFreeBytes(_ bytes: Int) { disk?.tier.noteFreeBytes(bytes) }

    /// Tells it once when the tier has less room than its file was made for, and when it has all.
    private mutating func tellRoom(of disk: ShardDisk) {
        guard disk.isOpen, disk.tier.isWhole != disk.isWholeTold else { return }
        disk.isWholeTold = disk.tier.isWhole
        diskNotices.append(
            .room(bytes: disk.tier.roomBytes, of: disk.tier.geometry.fileBytes))
    }

    /// Ends the tier in order. ``DiskNotice/closed`` follows, unless it fails or was not open.
    ///
    /// - Parameter calendar: milliseconds since 1970, now.
    /// - Returns: whether it was open.
    package mutating func closeDisk(calendar: UInt64, now: Instant) -> Bool {
        guard let disk, disk.isOpen else { return false }
        disk.tier.now = disk.clock.time(at: now)
        disk.tier.close(diskCheckpoint(disk), calendar: calendar, into: &disk.commands)
        return true
    }

    /// How far the tier has come with what an earlier life left; `nil` unless it is at it.
    package var diskProgress: RecoveryProgress? { disk?.tier.recoveryProgress }

    /// What the file has to do, in this order.
    package mutating func takeDiskCommands(into commands: inout [DiskCommand]) {
        guard let disk, !disk.commands.isEmpty else { return }
        swap(&disk.commands, &commands)
    }

    package mutating func takeDiskNotices() -> [DiskNotice] {
        defer { diskNotices.removeAll() }
        return diskNotices
    }

    /// The tier may be open now.
    mutating func noteOpening() {
        guard let disk, disk.isOpen else { return }
        if disk.trust.owners != cluster.owners || !disk.trust.isRunSettled { settleLife() }
        guard isDiskAwaited else { return }
        isDiskAwaited = false
        let place = disk.trust.isNew ? nil : RecoveredPlace(log: log.id, mark: log.applied)
        diskNotices.append(.open(entryCount: disk.tier.entryCount, goesOnFrom: place))
    }

    /// Nobody asks the tier anything any more. Who waited for it is answered without.
    mutating func loseDisk(_ notice: DiskNotice) {
        guard disk != nil else { return }
        disk = nil
        tier.keeper = nil
        waiting.loseDisk()
        diskNotices.append(notice)
        if case .unusable = notice { return }
        isDiskAwaited = false
    }

    /// A slice of the tier's work, and a checkpoint if one is due.
    mutating func tickDisk(now: Instant) {
        guard let disk else { return }
        disk.tier.now = disk.clock.time(at: now)
        for record in disk.records.takeUnneeded(now: now) { promote(record, on: disk, now: now) }
        disk.tier.tick(into: &disk.commands, news: &disk.news)
        disk.prepareAdmission(memoryEntryCount: tier.entryCount)
        if disk.endAmnesty() { disk.checkpoints.renew() }
        if disk.isOpen, disk.checkpoints.isDue(at: log.applied, now: now) {
            // It may have been opened since the last record was obeyed.
            if disk.trust.awaited == nil { disk.noteObeyed(log.applied) }
            disk.checkpoints.begin(
                at: log.applied, next: now.advanced(by: options.diskCheckpointInterval))
            disk.tier.checkpoint(diskCheckpoint(disk), into: &disk.commands)
        }
        disk.followRing()
        tellRoom(of: disk)
        takeDiskNews(now: now)
    }

    var hasDueDiskWork: Bool { disk?.tier.hasDueWork ?? false }

    private func diskCheckpoint(_ disk: ShardDisk) -> Checkpoint {
        disk.trust.checkpoint(of: log.id, at: log.applied, floors: disk.floors.encoded())
    }

    /// What an earlier life left can be used: the shard is where its checkpoint was, and obeys the
    /// rest again.
    mutating func adopt(_ recovered: RecoveredTier, on disk: ShardDisk, now: Instant) {
        let checkpoint = recovered.checkpoint
        guard checkpoint.log != .none, recovered.obeyed.position >= checkpoint.mark.position,
            recovered.obeyed.position.epoch == checkpoint.mark.position.epoch,
            disk.adopt(floors: checkpoint.floors)
        else { return loseDisk(.unusable(.noCheckpoint)) }
        if recovered.damageCount > 0 {
            disk.statistics.damagedSegments = UInt64(recovered.damageCount)
            diskNotices.append(.damaged(segments: recovered.damageCount))
        }
        log.recover(checkpoint.log, at: checkpoint.mark, now: now)
        disk.checkpoints.adopt(checkpoint.mark)
        disk.trust.adopt(recovered)
    }

    /// The node begins at this mark, or as a new one. If another shard's tier was not so far, this
    /// one is told some records again. What the publisher vouches for is that mark, and not this
    /// shard's own.
    ///
    /// A node that begins as a new one claims no place, so a publisher without its log may go on
    /// before the one that this shard recovered: nothing must have been answered from there.
    package mutating func resume(at mark: LogMark?, now: Instant) {
        guard log.resume(at: mark, now: now), let disk else { return }
        if mark != nil, !disk.trust.isNew {
            disk.trust.resume()
        } else {
            disk.reset()
            disk.noteObeyed(log.applied)
        }
    }

    /// The publisher has said which life of this node it knows as the last one before this.
    ///
    /// In a sharded topology a life in between, without this tier, may have replaced what lies
    /// there without a trace in the log.
    ///
    /// Told another one later, nobody knows whom to believe.
    package mutating func setLastLife(_ incarnation: Incarnation) {
        guard let disk else { return }
        if let known = disk.trust.lastRun, known != incarnation, cluster.kind == .sharded,
            !disk.trust.isNew
        {
            discard(disk, .otherLife)
        }
        disk.trust.lastRun = incarnation
        settleLife()
    }

    /// Holds the tier against what is known of the cluster by now.
    mutating func settleLife() {
        guard let disk, disk.isOpen, let owners = cluster.owners, let kind = cluster.kind else {
            return
        }
        if disk.trust.owners != owners {
            // While keys were another's they may have been replaced there.
            if disk.trust.owners != nil { discard(disk, .otherOwners) }
            disk.trust.owners = owners
            disk.checkpoints.hasten()
        }
        guard !disk.trust.isRunSettled, let lastLife = disk.trust.lastRun else { return }
        if kind == .sharded, lastLife != disk.trust.writtenBy { discard(disk, .otherLife) }
        disk.trust.isRunSettled = true
    }

    private mutating func discard(_ disk: ShardDisk, _ cause: DiscardCause) {
        disk.reset()
        if disk.tier.entryCount > 0 || !disk.trust.isNew { diskNotices.append(.discarded(cause)) }
        disk.noteObeyed(log.applied)
    }
}
