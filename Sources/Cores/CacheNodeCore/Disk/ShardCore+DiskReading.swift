import ByteCoding
package import CacheDisk
import CacheMemory
package import CacheModel
import CacheWire

/// What is only on disk is read before a message is answered, so that the answer is as if it had
/// been in memory all along.
///
///     message ──▶ every key in memory, or nowhere? ──yes──▶ answered
///                     │ no: find ──▶ in the tail: kept in ReadRecords
///                     ▼
///                 kept aside until its reads are answered: a second at most, and if it
///                     │ changes nothing, no longer than its asker waits
///                     │ found ──▶ kept in ReadRecords
///                     ▼
///                 each operation: its record is promoted, and it is answered from memory
///                     │ what memory let go of meanwhile is on disk ──▶ DEFERRED
///                     ▼
///                 what is not there by now is a miss
extension ShardCore {
    /// Begins to read what a message needs of the disk.
    ///
    /// - Returns: whether the message has to wait, and is kept or was refused.
    mutating func waitsForDisk(
        _ plan: Plan, _ evidence: RequestEvidence, now: Instant, into replies: inout ReplyBuffer
    ) -> Bool {
        guard let disk else { return false }
        disk.records.begin(hasWaited: plan.hasReadDisk, isLate: evidence.isLateForDisk)
        guard disk.isTrusted, !plan.hasReadDisk else { return false }
        let deadline = diskDeadline(of: plan, now: now)
        guard deadline > now else { return false }
        var reads: [DiskTicket] = []
        switch plan.message.type {
        case .get, .touch: seekAll(of: plan, on: disk, now: now, &reads)
        case .set: seekOrdered(of: plan, on: disk, now: now, &reads)
        case .explain, .compare: seekAsked(by: plan, on: disk, now: now, &reads)
        default: break
        }
        guard !reads.isEmpty else { return false }
        guard hasRoomToWait(plan) else {
            if plan.message.type == .explain || plan.message.type == .compare { return false }
            answerBusy(plan, now: now, into: &replies)
            return true
        }
        let id = waiting.insert(
            plan.frame,
            deadline: deadline,
            condition: .reads(leftCount: reads.count), now: now)
        waiting.noteProgress(
            of: id, orderedAt: plan.orderedAt, hasPassedHead: plan.hasPassedHead)
        waiting.noteAsker(of: id, waitsUntil: askerDeadline(of: plan, now: now))
        for ticket in reads { disk.wait(for: ticket, id) }
        disk.statistics.waits += 1
        return true
    }

    /// Until when a message waits for the disk: where it changes nothing, its asker's time is all.
    /// What the others do outlasts their askers, and depends on what lies there.
    private func diskDeadline(of plan: Plan, now: Instant) -> Instant {
        let longest = now.advanced(by: ShardLimits.diskWaitMax)
        switch plan.message.type {
        case .get, .explain, .compare: return min(longest, askerDeadline(of: plan, now: now))
        default: return longest
        }
    }

    /// Every key of a GET or a TOUCH.
    private mutating func seekAll(
        of plan: Plan, on disk: ShardDisk, now: Instant, _ reads: inout [DiskTicket]
    ) {
        var reader = ByteReader(plan.message.body)
        for index in 0..<plan.message.count {
            let key = Self.planned { () throws(WireRefusal) in
                plan.message.type == .get
                    ? try GetOperation(decoding: &reader).key
                    : try TouchOperation(decoding: &reader).key
            }
            let hash = hashes[plan.firstHash + index]
            if plan.message.type == .get { disk.admission.count(hash.rawValue) }
            if let ticket = seek(key, hash, plan.namespace, on: disk, now: now) {
                reads.append(ticket)
            }
        }
    }

    /// The keys of a SET whose admission depends on what is there: on its version, its fill, or
    /// that it is there at all.
    private mutating func seekOrdered(
        of plan: Plan, on disk: ShardDisk, now: Instant, _ reads: inout [DiskTicket]
    ) {
        var reader = ByteReader(plan.message.body)
        for index in 0..<plan.message.count {
            tags.removeAll(keepingCapacity: true)
            let operation = Self.planned { () throws(WireRefusal) in
                try SetOperation(decoding: &reader, tags: &tags)
            }
            guard dependsOnWhatIsThere(operation) else { continue }
            let hash = hashes[plan.firstHash + index]
            if let ticket = seek(operation.key, hash, plan.namespace, on: disk, now: now) {
                reads.append(ticket)
            }
        }
    }

    func dependsOnWhatIsThere(_ operation: SetOperation) -> Bool {
        let isFromElsewhere =
            operation.token.map { $0.incarnation != options.incarnation } ?? false
        return operation.version != .none || isFromElsewhere || operation.options.contains(.renew)
    }

    /// The key of an EXPLAIN or a COMPARE: a get would find what is on disk. What asks for nonsense
    /// is refused when it is answered.
    private mutating func seekAsked(
        by plan: Plan, on disk: ShardDisk, now: Instant, _ reads: inout [DiskTicket]
    ) {
        guard let request = Self.question(of: plan) else { return }
        request.key.bytes.withUnsafeBytes { key in
            let hash = tier.hash(namespace: plan.namespace, key: key)
            if let ticket = seek(key, hash, plan.namespace, on: disk, now: now) {
                reads.append(ticket)
            }
        }
    }

    /// What was read for an EXPLAIN or a COMPARE.
    mutating func bringBackAsked(by plan: Plan, now: Instant) {
        guard let disk, disk.records.areNeeded, let request = Self.question(of: plan) else {
            return
        }
        request.key.bytes.withUnsafeBytes { key in
            let hash = tier.hash(namespace: plan.namespace, key: key)
            _ = bringBack(key, hash, plan.namespace, on: disk, now: now)
        }
    }

    private static func question(of plan: Plan) -> KeyQuestion? {
        do throws(WireRefusal) {
            return try KeyQuestion(decoding: plan.message)
        } catch {
            return nil
        }
    }

    /// - Returns: the read to wait for, if the key is on disk alone.
    private mutating func seek(
        _ key: UnsafeRawBufferPointer, _ hash: KeyHash, _ namespace: NamespaceNumber,
        on disk: ShardDisk, now: Instant
    ) -> DiskTicket? {
        guard (1...CacheKey.bytesMax).contains(key.count),
            !tier.isResident(hash, namespace: namespace, key: key)
        else { return nil }
        let fingerprint = disk.fingerprint(of: key, in: namespace, namespaces.names)
        switch disk.find(fingerprint) {
        case .absent, .shed: return nil
        case .resident(let record):
            keep(record, on: disk, now: now)
            return nil
        case .reading(let ticket): return ticket
        }
    }

    private mutating func keep(_ record: FoundRecord, on disk: ShardDisk, now: Instant) {
        disk.records.noteNeeded()
        if !disk.records.keep(record, now: now) { promote(record, on: disk, now: now) }
    }

    /// Takes what was read of a key into memory, for an operation that is answered now.
    ///
    /// - Returns: whether it can be; if not, memory has let go of the key's value since the message
    ///   was looked at, and it is on disk. An operation at least is answered of every message, so
    ///   that whoever asks again comes to an end.
    mutating func bringBack(
        _ key: UnsafeRawBufferPointer, _ hash: KeyHash, _ namespace: NamespaceNumber,
        on disk: ShardDisk, now: Instant
    ) -> Bool {
        defer { disk.records.noteAnswered() }
        guard (1...CacheKey.bytesMax).contains(key.count), disk.isTrusted,
            !tier.isResident(hash, namespace: namespace, key: key)
        else { return true }
        switch disk.find(disk.fingerprint(of: key, in: namespace, namespaces.names)) {
        case .absent, .shed: return true
        case .resident(let record):
            promote(record, on: disk, mayBeGuest: true, now: now)
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
        _ record: FoundRecord, on disk: ShardDisk, mayBeGuest: Bool = false, now: Instant
    ) {
        let isKept = record.withEntry { entry in
            promote(entry, on: disk, mayBeGuest: mayBeGuest, now: now)
        }
        guard let isKept, !isKept else { return }
        disk.statistics.passedOver += 1
        disk.remove(record.fingerprint)
    }

    /// - Returns: whether the disk keeps it.
    private mutating func promote(
        _ entry: DiskEntry, on disk: ShardDisk, mayBeGuest: Bool, now: Instant
    ) -> Bool {
        let name = entry.namespace.isEmpty ? nil : entry.namespace
        guard let namespace = namespaces.number(of: name) else { return true }
        let verdict = disk.floors.verdict(over: entry)
        guard verdict != .hard else { return false }
        var fill = SequenceNumber(entry.fill)
        if let below = disk.trust.amnesty?.below, entry.fill < below {
            let isSpared = disk.trust.amnesty?.covers(
                entry, in: namespace, namespaces.all, options.guards)
            guard isSpared == true else { return false }
            fill = SequenceNumber(below)
        }
        var candidate = StoreCandidate(
            hash: tier.hash(namespace: namespace, key: entry.key), namespace: namespace,
            key: entry.key, value: entry.value,
            fill: log.stamp(at: fill))
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
            return tier.promote(
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

    // MARK: Completions

    /// The file has carried out what the tier commanded, or could not.
    package mutating func diskCompleted(
        _ completions: [DiskCompletion], now: Instant
    ) {
        guard let disk else { return }
        disk.tier.now = disk.clock.time(at: now)
        for completion in completions {
            disk.tier.completed(completion, into: &disk.commands, news: &disk.news)
        }
        takeDiskNews(now: now)
    }

    /// Obeys what the tier has told.
    mutating func takeDiskNews(now: Instant) {
        guard let disk, !disk.news.isEmpty else { return noteOpening() }
        let news = disk.news
        disk.news.removeAll()
        for one in news {
            switch one {
            case .found(let ticket, let record):
                if disk.readers[ticket] == nil || !disk.records.keep(record, now: now) {
                    promote(record, on: disk, now: now)
                }
                finishRead(ticket, on: disk)
            case .notFound(let ticket, _): finishRead(ticket, on: disk)
            case .checkpointed:
                disk.checkpoints.end()
                if disk.trust.amnesty?.noteCheckpoint() == true { disk.noteObeyed(log.applied) }
            case .recovered(let recovered): adopt(recovered, on: disk, now: now)
            case .unusable(let cause): loseDisk(.unusable(cause))
            case .failed(let failure): loseDisk(.failed(failure))
            case .spaceKept(let failure): diskNotices.append(.spaceKept(failure))
            case .closed: loseDisk(.closed)
            }
        }
        noteOpening()
    }

    private mutating func finishRead(_ ticket: DiskTicket, on disk: ShardDisk) {
        for id in disk.readers.removeValue(forKey: ticket) ?? [] { waiting.readDisk(id) }
    }
}
