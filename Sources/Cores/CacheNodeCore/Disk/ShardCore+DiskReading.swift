import ByteCoding
import CacheDisk
import CacheMemory
import CacheModel
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
        let isTrusted = entries.beginMessage(
            hasWaited: plan.hasReadDisk, isLate: evidence.isLateForDisk)
        guard isTrusted, !plan.hasReadDisk else { return false }
        let deadline = diskDeadline(of: plan, now: now)
        guard deadline > now else { return false }
        var reads: [DiskTicket] = []
        switch plan.message.type {
        case .get, .touch: seekAll(of: plan, now: now, &reads)
        case .set: seekOrdered(of: plan, now: now, &reads)
        case .explain, .compare: seekAsked(by: plan, now: now, &reads)
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
            of: id, orderedAt: plan.orderedAt, hasPassedHead: plan.hasPassedHead,
            hasAskedOwnerBefore: plan.hasAskedOwnerBefore)
        waiting.noteAsker(of: id, waitsUntil: askerDeadline(of: plan, now: now))
        entries.wait(for: reads, id)
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
        of plan: Plan, now: Instant, _ reads: inout [DiskTicket]
    ) {
        var reader = ByteReader(plan.message.body)
        for index in 0..<plan.message.count {
            let key = Self.planned { () throws(WireRefusal) in
                plan.message.type == .get
                    ? try GetOperation(decoding: &reader).key
                    : try TouchOperation(decoding: &reader).key
            }
            let hash = hashes[plan.firstHash + index]
            if plan.message.type == .get { entries.count(hash) }
            seek(EntryStore.LocatedKey(hash, plan.namespace, key), now: now, &reads)
        }
    }

    /// The keys of a SET whose admission depends on what is there: on its version, its fill, or
    /// that it is there at all.
    private mutating func seekOrdered(
        of plan: Plan, now: Instant, _ reads: inout [DiskTicket]
    ) {
        var reader = ByteReader(plan.message.body)
        for index in 0..<plan.message.count {
            let operation = nextStore(&reader)
            guard dependsOnWhatIsThere(operation) else { continue }
            let hash = hashes[plan.firstHash + index]
            seek(EntryStore.LocatedKey(hash, plan.namespace, operation.key), now: now, &reads)
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
        by plan: Plan, now: Instant, _ reads: inout [DiskTicket]
    ) {
        guard let request = Self.question(of: plan) else { return }
        request.key.bytes.withUnsafeBytes { key in
            let hash = entries.memory.hash(namespace: plan.namespace, key: key)
            seek(EntryStore.LocatedKey(hash, plan.namespace, key), now: now, &reads)
        }
    }

    /// What was read for an EXPLAIN or a COMPARE.
    mutating func bringBackAsked(by plan: Plan, now: Instant) {
        guard entries.areReadsNeeded, let request = Self.question(of: plan) else { return }
        request.key.bytes.withUnsafeBytes { key in
            let hash = entries.memory.hash(namespace: plan.namespace, key: key)
            _ = entries.bringBack(
                EntryStore.LocatedKey(hash, plan.namespace, key), &namespaces, now: now)
        }
    }

    private static func question(of plan: Plan) -> KeyQuestion? {
        do throws(WireRefusal) {
            return try KeyQuestion(decoding: plan.message)
        } catch {
            return nil
        }
    }

    private mutating func seek(
        _ key: EntryStore.LocatedKey, now: Instant, _ reads: inout [DiskTicket]
    ) {
        if let ticket = entries.seek(key, &namespaces, now: now) { reads.append(ticket) }
    }
}
