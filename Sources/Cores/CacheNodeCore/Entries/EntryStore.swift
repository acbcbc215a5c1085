import CacheDisk
import CacheMemory
import CacheModel
import CacheWire

/// The entries of one shard, in two tiers: memory, and a disk tier if there is one.
///
///     find    memory ──miss──▶ seek: on disk? ──▶ ticket ──read──▶ bringBack, found in memory
///     store, renew, touch ──▶ memory ──▶ the same on disk (EntryStore+Writing)
///     invalidate ──▶ memory's floors ──▶ the record on disk, or its lasting floors
///     evicted by memory ──▶ ShardDisk+Keeping
///
/// It knows no request, no client and no log: the position that is applied and the names of
/// namespaces are arguments, and what follows for waiting requests or for the log is returned as
/// ``DiskEvent``. Where memory alone is concerned, the core asks ``memory`` itself.
struct EntryStore: ~Copyable {
    let options: ShardOptions
    var memory: MemoryTier
    /// `nil` if there is none, or none that can be used.
    private(set) var disk: ShardDisk?
    /// The disk tier must still be opened for the first time: only reports are answered, because
    /// records there may be newer than an answer, or be overwritten unread.
    private(set) var isDiskAwaited: Bool
    /// By slot, where the log assigns them: what was filled before this sequence does not count.
    /// Empty while unknown.
    private var slotFloors: [SequenceNumber] = []
    /// Disk events for the shell.
    private var notices: [DiskNotice] = []

    init(_ options: ShardOptions, limits: MemoryTierLimits) {
        self.options = options
        memory = MemoryTier(
            limits: limits, policy: options.evictionPolicy, hashSeed: options.seed,
            guards: options.guards)
        isDiskAwaited = options.hasDisk
    }

    var hasDueWork: Bool { memory.hasDueWork || disk?.tier.hasDueWork ?? false }

    /// One bounded slice of freeing what is over in memory.
    mutating func tickMemory(now: Instant) {
        _ = memory.entries.expire(slotLimit: ShardLimits.expirySlotsPerTick, now: now)
        _ = memory.sweep(bucketLimit: ShardLimits.sweepBucketsPerTick, now: now)
        memory.entries.tidy(limit: ShardLimits.movesPerTick)
        memory.entries.settleQuotas(bucketLimit: ShardLimits.quotaBucketsPerTick)
    }

    /// A slice of the disk tier's work, and a checkpoint if one is due.
    mutating func tickDisk(
        at place: RecoveredPlace, _ namespaces: inout NamespaceTable, now: Instant
    ) {
        guard let disk else { return }
        disk.tier.now = disk.clock.time(at: now)
        for record in disk.records.takeUnneeded(now: now) {
            promote(record, on: disk, &namespaces, now: now)
        }
        disk.tier.tick()
        disk.prepareAdmission(memoryEntryCount: memory.entryCount)
        if disk.endAmnesty() { disk.checkpoints.renew() }
        if disk.isOpen, disk.checkpoints.isDue(at: place.mark, now: now) {
            // It may have been opened since the last record was applied.
            if disk.trust.awaited == nil { disk.noteApplied(place.mark) }
            disk.checkpoints.begin(
                at: place.mark, next: now.advanced(by: options.diskCheckpointInterval))
            disk.tier.checkpoint(disk.checkpoint(at: place))
        }
        disk.followRing()
        reportRoom(of: disk)
    }

    /// Reports once when the tier has less room than its file was made for, and when it has all.
    private mutating func reportRoom(of disk: ShardDisk) {
        guard disk.isOpen, disk.tier.isWhole != disk.isWholeTold else { return }
        disk.isWholeTold = disk.tier.isWhole
        notices.append(
            .room(bytes: disk.tier.roomBytes, of: disk.tier.geometry.fileBytes))
    }

    // MARK: Opening and closing

    /// Begins a new tier empty, or reads first what an earlier run left.
    mutating func attach(
        _ opened: OpenedDisk, at place: RecoveredPlace, epochOrdinal: UInt16,
        _ namespaces: NamespaceTable, now: Instant
    ) {
        precondition(disk == nil, "a shard has one disk tier")
        let disk = ShardDisk(
            opened, bytesPerSecond: options.diskWriteBytesPerSecond, guards: options.guards,
            now: now)
        disk.epochOrdinal = epochOrdinal
        disk.namespaces.learn(namespaces.names)
        disk.setShares(namespaces.diskShares)
        self.disk = disk
        memory.entries.keeper = disk
        if opened.isNew {
            disk.tier.beginAnew(
                disk.checkpoint(at: place), withRoomFor: opened.segmentCount)
        } else {
            disk.tier.beginRecovery()
        }
    }

    mutating func goOnWithoutDisk() { isDiskAwaited = false }

    mutating func closeDisk(at place: RecoveredPlace, calendar: UInt64, now: Instant) -> Bool {
        guard let disk, disk.isOpen else { return false }
        disk.tier.now = disk.clock.time(at: now)
        disk.tier.close(disk.checkpoint(at: place), calendar: calendar)
        return true
    }

    mutating func takeCommands(into commands: inout [DiskCommand]) {
        guard let disk, !disk.tier.commands.isEmpty else { return }
        swap(&disk.tier.commands, &commands)
    }

    mutating func takeNotices() -> [DiskNotice] {
        defer { notices.removeAll() }
        return notices
    }

    // MARK: Events of the disk tier

    /// What the disk tier has reported, as far as it concerns others than the entries.
    enum DiskEvent {
        /// A read of these requests has ended.
        case readEnded([UInt64])
        /// The shard goes on where an earlier run was.
        case recovered(RecoveredPlace)
        /// Nothing more is read: what waits is answered without.
        case lost
    }

    mutating func completed(_ completions: [DiskCompletion], now: Instant) {
        guard let disk else { return }
        disk.tier.now = disk.clock.time(at: now)
        for completion in completions {
            disk.tier.completed(completion)
        }
    }

    mutating func failDisk(_ failure: DiskFailure) {
        guard let disk else { return }
        disk.tier.giveUp(failure)
    }

    /// Handles what the tier has reported, with the log applied up to a mark.
    mutating func takeEvents(
        at applied: LogMark, _ namespaces: inout NamespaceTable, now: Instant
    ) -> [DiskEvent] {
        guard let disk, !disk.tier.news.isEmpty else { return [] }
        let news = disk.tier.news
        disk.tier.news.removeAll()
        var applied = applied
        var events: [DiskEvent] = []
        for one in news {
            switch one {
            case .found(let ticket, let record):
                if disk.readers[ticket] == nil || !disk.records.keep(record, now: now) {
                    promote(record, on: disk, &namespaces, now: now)
                }
                events.append(.readEnded(disk.readers.removeValue(forKey: ticket) ?? []))
            case .notFound(let ticket, _):
                events.append(.readEnded(disk.readers.removeValue(forKey: ticket) ?? []))
            case .checkpointed:
                disk.checkpoints.end()
                if disk.trust.amnesty?.noteCheckpoint() == true { disk.noteApplied(applied) }
            case .recovered(let recovered):
                guard disk.adopt(recovered) else {
                    lose(.unusable(.noCheckpoint), &events)
                    continue
                }
                if recovered.damageCount > 0 {
                    notices.append(.damaged(segments: recovered.damageCount))
                }
                let checkpoint = recovered.checkpoint
                applied = checkpoint.mark
                events.append(
                    .recovered(RecoveredPlace(log: checkpoint.log, mark: checkpoint.mark)))
            case .unusable(let cause): lose(.unusable(cause), &events)
            case .failed(let failure): lose(.failed(failure), &events)
            case .spaceKept(let failure): notices.append(.spaceKept(failure))
            case .closed: lose(.closed, &events)
            }
        }
        return events
    }

    /// The tier is not used any more.
    private mutating func lose(_ notice: DiskNotice, _ events: inout [DiskEvent]) {
        guard disk != nil else { return }
        disk = nil
        memory.entries.keeper = nil
        events.append(.lost)
        notices.append(notice)
        if case .unusable = notice { return }
        isDiskAwaited = false
    }

    // MARK: Trust in what an earlier run left

    /// The tier may be open now.
    mutating func noteOpening(at place: RecoveredPlace, in cluster: ClusterState) {
        guard let disk, disk.isOpen else { return }
        if disk.trust.owners != cluster.owners || !disk.trust.isRunSettled {
            settleTrust(in: cluster, at: place.mark)
        }
        guard isDiskAwaited else { return }
        isDiskAwaited = false
        notices.append(
            .open(
                entryCount: disk.tier.entryCount, goesOnFrom: disk.trust.isNew ? nil : place))
    }

    /// The publisher has named the run of this node that it knows as the last one before this.
    ///
    /// In a sharded topology a run in between, without this tier, may have replaced what lies there
    /// without a trace in the log. If two names were given, neither is believed.
    mutating func setLastRun(
        _ incarnation: Incarnation, in cluster: ClusterState, at applied: LogMark
    ) {
        guard let disk else { return }
        if let known = disk.trust.lastRun, known != incarnation, cluster.kind == .sharded,
            !disk.trust.isNew
        {
            discard(disk, .otherLife, at: applied)
        }
        disk.trust.lastRun = incarnation
        settleTrust(in: cluster, at: applied)
    }

    /// Compares the tier with the known state of the cluster.
    mutating func settleTrust(in cluster: ClusterState, at applied: LogMark) {
        guard let disk, disk.isOpen, let owners = cluster.owners, let kind = cluster.kind else {
            return
        }
        if disk.trust.owners != owners {
            // While keys were another's they may have been replaced there.
            if disk.trust.owners != nil { discard(disk, .otherOwners, at: applied) }
            disk.trust.owners = owners
            disk.checkpoints.hasten()
        }
        guard !disk.trust.isRunSettled, let lastRun = disk.trust.lastRun else { return }
        if kind == .sharded, lastRun != disk.trust.writtenBy {
            discard(disk, .otherLife, at: applied)
        }
        disk.trust.isRunSettled = true
    }

    private mutating func discard(_ disk: ShardDisk, _ cause: DiscardCause, at applied: LogMark) {
        disk.reset()
        if disk.tier.entryCount > 0 || !disk.trust.isNew { notices.append(.discarded(cause)) }
        disk.noteApplied(applied)
    }

    /// Keys have other owners from `stamp` on: ``CacheMemory/MemoryTier/move(at:now:keeping:)``.
    mutating func hideMoved(
        _ keeps: (@Sendable (RoutedKey) -> Bool)?, at stamp: FillStamp,
        _ namespaces: NamespaceTable, now: Instant
    ) {
        memory.nameNamespaces(namespaces.names)
        memory.move(at: stamp, now: now, keeping: keeps)
    }

    /// A record moved keys. What is on disk of kept ones stays; ``setSlotFloors(_:sparing:)`` hides
    /// the rest.
    ///
    /// - Parameter before: the owners of which a tier may go on.
    mutating func ownersMoved(from before: UInt64?, to owners: UInt64?) {
        guard before != owners else { return }
        guard let disk, let owners, disk.trust.owners == before else {
            return ownersChanged(to: owners)
        }
        disk.trust.owners = owners
        disk.checkpoints.hasten()
    }

    /// Sets by slot from which sequence on a record of the disk is of this ownership.
    ///
    /// - Parameters:
    ///   - since: `nil` while unknown: what was known stays.
    ///   - leftovers: lost slots with entries that are given away.
    mutating func setSlotFloors(_ since: [SequenceNumber]?, sparing leftovers: SlotSet) {
        guard let since else { return }
        guard !leftovers.isEmpty, slotFloors.count == since.count else { return slotFloors = since }
        for (number, sequence) in since.enumerated() {
            if let slot = HashSlot(number), !leftovers.contains(slot) {
                slotFloors[number] = sequence
            }
        }
    }

    /// Whether a record of the disk was filled before the slot of its key was this shard's the last
    /// time. Other shards may have stored the key since.
    func isOfEarlierOwnership(_ entry: DiskEntry) -> Bool {
        guard !slotFloors.isEmpty else { return false }
        return entry.fill < slotFloors[Int(HashSlot(of: entry.key).rawValue)].rawValue
    }

    /// The members have changed. A tier of an earlier run may be of these same members.
    mutating func ownersChanged(to owners: UInt64?) {
        guard let disk, disk.trust.owners != owners else { return }
        disk.reset()
        guard let owners else { return }
        disk.trust.owners = owners
        disk.checkpoints.hasten()
    }

    /// The shard goes on at a mark, or as a new one (`isNew`), after it had recovered another.
    mutating func resume(at applied: LogMark, isNew: Bool) {
        guard let disk else { return }
        if !isNew, !disk.trust.isNew {
            disk.trust.resume()
        } else {
            disk.reset()
            disk.noteApplied(applied)
        }
    }
}
