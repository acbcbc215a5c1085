import CacheDisk
import CacheMemory
import CacheModel
import CacheWire

/// What is stored, given another life or removed in memory is so on disk when the answer is sent.
extension ShardCore {
    /// Appends what was just stored, while the ring has free segments. Where it has none, the share
    /// of the namespace is full, or the disk is to be spared, memory alone has it, and what the
    /// disk held of its key is removed.
    mutating func keepOnDisk(_ candidate: StoreCandidate, now: Instant) {
        guard let disk, disk.isOpen else { return }
        disk.records.noteReplaced(candidate.hash)
        if !disk.admission.isPrepared {
            disk.prepareAdmission(memoryEntryCount: tier.entryCount)
        }
        let fingerprint = disk.fingerprint(
            of: candidate.key, in: candidate.namespace, namespaces.names)
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
    mutating func keepOnDisk(
        _ hash: KeyHash, _ namespace: NamespaceNumber, _ key: UnsafeRawBufferPointer,
        _ now: Instant
    ) -> Bool {
        guard !tier.isGuest(hash, namespace: namespace, key: key) else {
            return replaceOnDisk(hash, namespace, key, now)
        }
        guard let disk, disk.isOpen else { return true }
        let fingerprint = disk.fingerprint(of: key, in: namespace, namespaces.names)
        guard disk.tier.hasFreeSegments || disk.tier.holds(fingerprint) else { return true }
        let found = tier.peek(hash, namespace: namespace, key: key, now: now)
        if let found, let entry = disk.entry(of: found, now: now) {
            disk.append(entry, in: namespace, fingerprint)
        } else {
            disk.remove(fingerprint)
        }
        return true
    }

    /// Appends a guest as it is now. Memory will not have it, so its record must not be lost: it
    /// stays where the guest cannot be appended.
    private mutating func replaceOnDisk(
        _ hash: KeyHash, _ namespace: NamespaceNumber, _ key: UnsafeRawBufferPointer,
        _ now: Instant
    ) -> Bool {
        guard let disk, disk.isOpen else { return false }
        let fingerprint = disk.fingerprint(of: key, in: namespace, namespaces.names)
        guard let found = tier.peek(hash, namespace: namespace, key: key, now: now) else {
            // The new life is over.
            disk.remove(fingerprint)
            return true
        }
        guard let entry = disk.entry(of: found, now: now) else { return false }
        return disk.replace(entry, in: namespace, fingerprint)
    }

    /// A key was invalidated. What memory still shows of it is on disk as well, and stays.
    mutating func removeFromDisk(
        _ hash: KeyHash, _ namespace: NamespaceNumber, _ key: UnsafeRawBufferPointer, now: Instant
    ) {
        guard let disk, disk.isOpen, options.guards.isOn(.diskRemovals) else { return }
        if let found = tier.peek(hash, namespace: namespace, key: key, now: now), !found.isSoft {
            return
        }
        disk.remove(disk.fingerprint(of: key, in: namespace, namespaces.names))
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

    /// Remembers what covers more than a key. A key's record has been removed.
    func obey(_ scope: Scope, _ strength: InvalidationRecord.Strength, at position: LogPosition) {
        floors.raise(scope, strength, to: position.sequence.rawValue)
    }

    /// The publisher's log has been obeyed up to this record.
    ///
    /// Of a tier that goes on, what an earlier life had obeyed last is awaited first. If another
    /// record stands there, the log lost its end, and its numbers mean something else from there
    /// on: nothing that was filled then can be told from what was not.
    func noteObeyed(_ mark: LogMark) {
        switch trust.arrive(at: mark) {
        case .before: return
        case .other: reset()
        case .expected: break
        }
        // Not before a checkpoint tells that there is a gap.
        guard isOpen, trust.amnesty?.isSaid != false else { return }
        tier.noteObeyed(mark)
    }
}
