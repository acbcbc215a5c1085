import CacheDisk
import CacheMemory
import CacheModel

/// What is stored, given another lifetime or removed in memory is so on disk when the answer is
/// sent.
extension EntryStore {
    /// A key as both tiers look it up; its bytes are borrowed.
    struct LocatedKey {
        let hash: KeyHash
        let namespace: NamespaceNumber
        let bytes: UnsafeRawBufferPointer

        @inline(__always)
        init(_ hash: KeyHash, _ namespace: NamespaceNumber, _ bytes: UnsafeRawBufferPointer) {
            (self.hash, self.namespace, self.bytes) = (hash, namespace, bytes)
        }
    }

    /// Stores a candidate with these tags in both tiers.
    ///
    /// - Parameter names: of all namespaces, by number.
    /// - Returns: why nothing was stored.
    @inline(__always)
    mutating func store(
        _ candidate: StoreCandidate, tags: [UnsafeRawBufferPointer], _ names: [[UInt8]],
        now: Instant
    ) -> StoreRefusal? {
        var candidate = candidate
        let outcome = tags.withUnsafeBufferPointer {
            candidate.tags = $0
            return memory.store(candidate, now: now)
        }
        if case .failure(let refusal) = outcome { return refusal }
        if disk != nil { append(candidate, tags: tags, names, now: now) }
        return nil
    }

    /// Renews the entry that the candidate names, in both tiers.
    ///
    /// - Returns: whether it is another entry than before, or why it was not renewed.
    mutating func renew(
        _ candidate: StoreCandidate, _ names: [[UInt8]], now: Instant
    ) -> Result<Bool, StoreRefusal> {
        let outcome = memory.renew(candidate, now: now)
        guard case .success(true) = outcome, disk != nil else { return outcome }
        let key = LocatedKey(candidate.hash, candidate.namespace, candidate.key)
        // An entry on disk alone that cannot be renewed there is as it was.
        return update(key, names, now: now) ? outcome : .failure(.changed)
    }

    /// Gives an entry another end in both tiers.
    ///
    /// - Returns: `false` if there is none.
    mutating func touch(
        _ key: LocatedKey, expiresAt: Instant?, _ names: [[UInt8]], now: Instant
    ) -> Bool {
        let isTouched = memory.touch(
            key.hash, namespace: key.namespace, key: key.bytes, expiresAt: expiresAt, now: now)
        guard isTouched, disk != nil else { return isTouched }
        return update(key, names, now: now)
    }

    /// Appends what was just stored, while the ring has free segments. Where it has none, the share
    /// of the namespace is full, or the disk is to be spared, memory alone has it, and what the
    /// disk held of its key is removed.
    private mutating func append(
        _ candidate: StoreCandidate, tags: [UnsafeRawBufferPointer], _ names: [[UInt8]],
        now: Instant
    ) {
        guard let disk, disk.isOpen else { return }
        disk.records.noteReplaced(candidate.hash)
        if !disk.admission.isPrepared {
            disk.prepareAdmission(memoryEntryCount: memory.entryCount)
        }
        let fingerprint = disk.fingerprint(of: candidate.key, in: candidate.namespace, names)
        var entry = DiskEntry(key: candidate.key, value: candidate.value)
        entry.version = candidate.version.rawValue
        entry.validator = candidate.validator
        entry.representation = candidate.representation
        entry.tags = tags
        entry.expires = candidate.expiresAt.map { disk.clock.time(at: $0) }
        entry.stored = disk.clock.time(at: now, lessAge: candidate.age)
        entry.fill = candidate.fill.sequence.rawValue
        entry.isUnfenced = candidate.isUnfenced
        guard !disk.declines(entry, fingerprint, in: candidate.namespace, isStore: true),
            disk.hasRoom(for: entry)
        else { return disk.remove(fingerprint) }
        disk.append(entry, in: candidate.namespace, fingerprint)
    }

    /// Appends what memory has under a key as it is now: it lives longer, or less long, or holds
    /// again. Once the ring has gone round only if the disk has the key, so that a touch is no
    /// admission. What cannot be said whole, or is not to be shown as fresh, leaves the disk.
    ///
    /// - Returns: `false` if the entry is on disk alone, and is there as it was before.
    private mutating func update(_ key: LocatedKey, _ names: [[UInt8]], now: Instant) -> Bool {
        guard !memory.entries.isGuest(key.hash, namespace: key.namespace, key: key.bytes) else {
            return replace(key, names, now: now)
        }
        guard let disk, disk.isOpen else { return true }
        let fingerprint = disk.fingerprint(of: key.bytes, in: key.namespace, names)
        guard disk.tier.hasFreeSegments || disk.tier.holds(fingerprint) else { return true }
        let found = memory.peek(key.hash, namespace: key.namespace, key: key.bytes, now: now)
        if let found, let entry = disk.entry(of: found, now: now) {
            disk.append(entry, in: key.namespace, fingerprint)
        } else {
            disk.remove(fingerprint)
        }
        return true
    }

    /// Appends a guest as it is now. Memory will not have it, so its record must not be lost: it
    /// stays where the guest cannot be appended.
    private mutating func replace(_ key: LocatedKey, _ names: [[UInt8]], now: Instant) -> Bool {
        guard let disk, disk.isOpen else { return false }
        let fingerprint = disk.fingerprint(of: key.bytes, in: key.namespace, names)
        guard
            let found = memory.peek(key.hash, namespace: key.namespace, key: key.bytes, now: now)
        else {
            // The new life is over.
            disk.remove(fingerprint)
            return true
        }
        guard let entry = disk.entry(of: found, now: now) else { return false }
        return disk.replace(entry, in: key.namespace, fingerprint)
    }

    // MARK: Invalidations

    /// Removes the record of a key that was invalidated in memory. What memory still shows of it is
    /// on disk as well, and stays.
    mutating func removeFromDisk(_ key: LocatedKey, _ names: [[UInt8]], now: Instant) {
        guard let disk, disk.isOpen, options.guards.isOn(.diskRemovals) else { return }
        let found = memory.peek(key.hash, namespace: key.namespace, key: key.bytes, now: now)
        if let found, !found.isSoft { return }
        disk.remove(disk.fingerprint(of: key.bytes, in: key.namespace, names))
    }

    /// The same for a record at a position; an earlier run may have removed the key already.
    mutating func removeFromDisk(
        _ key: LocatedKey, invalidatedAt position: LogPosition, _ names: [[UInt8]], now: Instant
    ) {
        guard let disk, !disk.trust.hasApplied(position) else { return }
        removeFromDisk(key, names, now: now)
    }

    /// Removes a key of a namespace that has no number in this run.
    mutating func removeFromDisk(_ key: [UInt8], inUnnumbered namespace: Namespace) {
        disk?.remove(key: key, in: namespace)
    }

    /// Remembers on disk an invalidation of more than a key. A key's record has been removed.
    mutating func keepFloor(
        of scope: Scope, _ strength: InvalidationRecord.Strength, at position: LogPosition
    ) {
        guard options.guards.isOn(.lastingFloors) else { return }
        disk?.floors.raise(scope, strength, to: position.sequence.rawValue)
    }

    /// The log is applied up to this mark, with more records to follow at once.
    @inline(__always)
    mutating func noteRecord(_ mark: LogMark) {
        if let disk, disk.trust.awaited != nil { disk.noteApplied(mark) }
    }

    /// The log is applied up to this mark.
    mutating func noteApplied(_ mark: LogMark) { disk?.noteApplied(mark) }

    /// The shard's stamps begin with another number.
    mutating func setEpochOrdinal(_ ordinal: UInt16) { disk?.epochOrdinal = ordinal }

    // MARK: Gaps in the log

    /// Hides everything in both tiers, for good: what was invalidated cannot be known.
    mutating func hideEverything(at stamp: FillStamp) {
        memory.quarantineEverything(at: stamp)
        disk?.reset()
    }

    /// Whether what lies on disk may be spared when the log goes on at a mark: it is where the disk
    /// is or later, and no earlier answer is outstanding.
    func mayAwaitAmnesty(appliedUpTo applied: LogMark, goingOnFrom mark: LogMark) -> Bool {
        guard let disk, disk.isOpen, disk.trust.amnesty?.isAwaited != true else { return false }
        let last = (disk.trust.awaited ?? applied).position
        return mark.position.epoch == last.epoch && mark.position >= last
    }

    /// The log goes on at a mark; what is on disk is hidden until it is known what was invalidated
    /// since `spared`. `nil`: it is removed.
    mutating func goOnDisk(from mark: LogMark, sparedSince spared: LogMark?) {
        guard let disk else { return }
        if let spared {
            disk.awaitAmnesty(since: spared, goingOnFrom: mark)
        } else {
            disk.reset()
        }
        disk.noteApplied(mark)
    }

    /// The names that were invalidated while records were missing, or `nil`: they stay unknown.
    mutating func settle(_ touched: TouchedScopes?, _ namespaces: NamespaceTable) {
        disk?.settleAmnesty(touched)
        memory.settleQuarantine(
            touched.map { Amnesty($0, namespaces: namespaces.all, guards: options.guards) })
    }

    /// - Parameter quotas: of memory, by number; the shares of the disk are the table's.
    mutating func configure(
        _ quotas: [NamespaceNumber: MemoryQuota], _ namespaces: NamespaceTable
    ) {
        memory.entries.setQuotas(quotas)
        guard let disk else { return }
        disk.namespaces.learn(namespaces.names)
        disk.setShares(namespaces.diskShares)
    }
}

extension ShardDisk {
    /// Whether a store is appended: segments are free, and if cleaning made them so, what may be
    /// written in a second allows it.
    fileprivate func hasRoom(for entry: DiskEntry) -> Bool {
        guard tier.hasFreeSegments else { return false }
        return !tier.hasGoneRound
            || admission.judgeStore(bytes: entry.recordBytes, at: tier.now)
    }

    /// Removes a key of a namespace that has no number in this life.
    func remove(key: [UInt8], in namespace: Namespace) {
        var name = namespace.name
        let room = name.withUTF8 { tier.hasher.room(of: UnsafeRawBufferPointer($0)) }
        remove(key.withUnsafeBytes { tier.hasher.fingerprint(of: $0, in: room) })
    }

    /// The publisher's log has been applied up to this record.
    ///
    /// Of a tier that goes on, what an earlier life had applied last is awaited first. If another
    /// record stands there, the log lost its end, and its numbers mean something else from there
    /// on: nothing that was filled then can be told from what was not.
    func noteApplied(_ mark: LogMark) {
        switch trust.arrive(at: mark) {
        case .before: return
        case .other: reset()
        case .expected: break
        }
        // Not before a checkpoint tells that there is a gap.
        guard isOpen, trust.amnesty?.isSaid != false else { return }
        tier.noteApplied(mark)
    }

    /// What a later process has to know besides the entries.
    func checkpoint(at place: RecoveredPlace) -> Checkpoint {
        trust.checkpoint(of: place.log, at: place.mark, floors: floors.encoded())
    }

    /// Takes over what an earlier run left: the shard goes on where its checkpoint was, and applies
    /// the rest again.
    ///
    /// - Returns: whether it can be used.
    func adopt(_ recovered: RecoveredTier) -> Bool {
        let checkpoint = recovered.checkpoint
        guard checkpoint.log != .none, recovered.applied.position >= checkpoint.mark.position,
            recovered.applied.position.epoch == checkpoint.mark.position.epoch,
            adopt(floors: checkpoint.floors)
        else { return false }
        statistics.damagedSegments = UInt64(recovered.damageCount)
        checkpoints.adopt(checkpoint.mark)
        trust.adopt(recovered)
        return true
    }
}
