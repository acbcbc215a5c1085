import CacheDisk
import CacheMemory
import CacheModel
import CacheWire

/// What a message needs of the disk: read before it is answered, and moved to memory for the
/// operation that is answered from it.
extension EntryStore {
    /// Whether a record that the current message needs may be on disk, and not in memory.
    @inline(__always)
    var areReadsNeeded: Bool { disk?.records.areNeeded ?? false }

    /// Begins a message.
    ///
    /// - Parameters:
    ///   - hasWaited: for the disk.
    ///   - isLate: its deadline passed before all was read.
    /// - Returns: whether the disk may be asked for it.
    func beginMessage(hasWaited: Bool, isLate: Bool) -> Bool {
        guard let disk else { return false }
        disk.records.begin(hasWaited: hasWaited, isLate: isLate)
        return disk.isTrusted
    }

    /// Counts a request of a key, for the decision which evicted entries are appended.
    func count(_ hash: KeyHash) { disk?.admission.count(hash.rawValue) }

    /// A request waits for these reads.
    func wait(for tickets: [DiskTicket], _ request: UInt64) {
        guard let disk else { return }
        for ticket in tickets { disk.readers[ticket, default: []].append(request) }
        disk.statistics.waits += 1
    }

    /// A request is answered before all its reads have ended.
    func noteLate() { disk?.statistics.late += 1 }

    /// The tier of an answer's value: *disk* for the first answer after it was read.
    @inline(__always)
    func whereFound(_ hash: KeyHash) -> Tier { disk?.records.whereFound(hash) ?? .memory }

    /// Whether the disk may have a key in a namespace that has no number yet.
    func mayHold(_ key: UnsafeRawBufferPointer, in name: UnsafeRawBufferPointer) -> Bool {
        disk?.mayHold(key, in: name) ?? false
    }

    /// Whether the disk has a record of the key, or of another with its fingerprint.
    func isOnDisk(
        _ key: UnsafeRawBufferPointer, _ namespace: NamespaceNumber, _ names: [[UInt8]]
    ) -> Bool {
        guard let disk, disk.isOpen else { return false }
        return disk.tier.holds(disk.fingerprint(of: key, in: namespace, names))
    }

    /// - Returns: the read to wait for, if the key is on disk alone.
    mutating func seek(
        _ key: LocatedKey, _ namespaces: inout NamespaceTable, now: Instant
    ) -> DiskTicket? {
        guard let disk, (1...CacheKey.bytesMax).contains(key.bytes.count),
            !memory.isResident(key.hash, namespace: key.namespace, key: key.bytes)
        else { return nil }
        let fingerprint = disk.fingerprint(of: key.bytes, in: key.namespace, namespaces.names)
        switch disk.find(fingerprint) {
        case .absent, .shed: return nil
        case .resident(let record):
            disk.records.noteNeeded()
            if !disk.records.keep(record, now: now) {
                promote(record, on: disk, &namespaces, now: now)
            }
            return nil
        case .reading(let ticket): return ticket
        }
    }

    /// Takes what was read of a key into memory, for an operation that is answered now.
    ///
    /// - Returns: whether it can be; if not, memory has evicted the key's value since the message
    ///   was planned, and it is on disk. At least one operation of every message is answered, so
    ///   that repeating the rest ends.
    mutating func bringBack(
        _ key: LocatedKey, _ namespaces: inout NamespaceTable, now: Instant
    ) -> Bool {
        guard let disk else { return true }
        defer { disk.records.noteAnswered() }
        guard (1...CacheKey.bytesMax).contains(key.bytes.count), disk.isTrusted,
            !memory.isResident(key.hash, namespace: key.namespace, key: key.bytes)
        else { return true }
        switch disk.find(disk.fingerprint(of: key.bytes, in: key.namespace, namespaces.names)) {
        case .absent, .shed: return true
        case .resident(let record):
            promote(record, on: disk, mayBeGuest: true, &namespaces, now: now)
            return true
        case .reading:
            if disk.records.mayDefer { disk.statistics.deferred += 1 }
            return !disk.records.mayDefer
        }
    }

    // MARK: Promotion

    /// Takes a record into memory, if it may still be seen. What may not leaves the disk.
    ///
    /// - Parameter mayBeGuest: an operation is answered from it right after. Where memory has no
    ///   room for it and evicts nothing for it, it is there until the message is answered.
    mutating func promote(
        _ record: FoundRecord, on disk: ShardDisk, mayBeGuest: Bool = false,
        _ namespaces: inout NamespaceTable, now: Instant
    ) {
        let isKept = record.withEntry { entry in
            promote(entry, on: disk, mayBeGuest: mayBeGuest, &namespaces, now: now)
        }
        guard let isKept, !isKept else { return }
        disk.statistics.passedOver += 1
        disk.remove(record.fingerprint)
    }

    /// - Returns: whether the disk keeps it.
    private mutating func promote(
        _ entry: DiskEntry, on disk: ShardDisk, mayBeGuest: Bool,
        _ namespaces: inout NamespaceTable, now: Instant
    ) -> Bool {
        let name = entry.namespace.isEmpty ? nil : entry.namespace
        guard let namespace = namespaces.number(of: name) else { return true }
        let verdict = disk.floors.verdict(over: entry)
        guard verdict != .hard, !isOfEarlierOwnership(entry) else { return false }
        var fill = SequenceNumber(entry.fill)
        if let below = disk.trust.amnesty?.below, entry.fill < below {
            let isSpared = disk.trust.amnesty?.covers(
                entry, in: namespace, namespaces.all, options.guards)
            guard isSpared == true else { return false }
            fill = SequenceNumber(below)
        }
        var candidate = StoreCandidate(
            hash: memory.hash(namespace: namespace, key: entry.key), namespace: namespace,
            key: entry.key, value: entry.value,
            fill: FillStamp(epochOrdinal: disk.epochOrdinal, sequence: fill))
        candidate.version = Version(entry.version)
        candidate.validator = entry.validator
        candidate.representation = entry.representation
        if LoadTerms.begin(entry.validator) { namespaces.noteTerms(in: namespace) }
        candidate.isUnfenced = entry.isUnfenced
        if let expires = entry.expires {
            // What was over before the machine began is over.
            guard let end = disk.clock.instant(of: expires) else { return false }
            candidate.expiresAt = end
        }
        candidate.age = disk.clock.age(of: entry.stored, at: now)
        let outcome = entry.tags.withUnsafeBufferPointer { tags in
            candidate.tags = tags
            return memory.promote(
                candidate, isSoftened: verdict == .soft, mayBeGuest: mayBeGuest, now: now)
        }
        switch outcome {
        case .promoted, .guest:
            disk.notePromoted(candidate.hash)
            // Memory does not keep a guest.
            if outcome == .promoted, disk.isShut(namespace) {
                disk.remove(disk.fingerprint(of: entry.key, in: namespace, namespaces.names))
            }
            return true
        case .resident, .refused: return true
        case .over: return false
        }
    }
}
