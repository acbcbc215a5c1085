import ByteCoding
import CacheLoading
import CacheMemory
import CacheModel
import CacheWire

/// Entries that a shard gives to another node that fills its memory: docs/decisions/0091.
///
/// This is not a use of an entry: it counts as neither hit nor miss, and does not affect the
/// eviction policy.
extension ShardCore {
    /// Answers a GET of a node that copies entries, if that node follows the same log. The next
    /// owner of a slot gets what is on disk, too.
    ///
    /// Its field has the digest of its log at AT LEAST, which this shard has applied. If that is of
    /// another log, or too long ago to be known, the answer is BEHIND without the field.
    mutating func answerCopies(
        _ plan: Plan, _ evidence: RequestEvidence, now: Instant, into replies: inout ReplyBuffer,
        effects: inout [ShardEffect]
    ) {
        // A shard that is no replica stored without a record that could reach the copy, unless its
        // slots are another's now.
        let change = plan.message.fields.move
        guard cluster.isReplicated || change != nil, let digest = plan.message.fields.fill,
            let atLeast = plan.message.fields.atLeast,
            change.map({ $0 <= atLeast }) ?? true,
            log.history.marks.contains(LogMark(position: atLeast, digest: digest))
        else { return answerBehind(plan, .position, now: now, into: &replies) }
        if let change, entries.disk != nil, !cluster.handOver.departures.slots(of: change).isEmpty,
            waitsForDisk(plan, evidence, now: now, into: &replies)
        {
            return
        }
        let isGiving = giveCopies(plan, digest, now: now, into: &replies)
        if isGiving, change != nil, cluster.handOver.departures.noteGiven(now: now) {
            effects.append(.gives)
        }
    }

    /// - Returns: whether it gives any.
    private mutating func giveCopies(
        _ plan: Plan, _ digest: LogDigest, now: Instant, into replies: inout ReplyBuffer
    ) -> Bool {
        let change = plan.message.fields.move
        var message = MessageWriter(
            .results, requestID: plan.message.requestID, into: &replies.writer)
        if plan.message.fields.cluster != .none {
            message.field(log.standing.cluster, into: &replies.writer)
        }
        message.field(fill: digest, into: &replies.writer)
        proof(now: now).encode(into: &replies.writer)
        var context = RequestContext(
            plan, .none, from: message.start, holdsLease: holdsLease(at: now), now: now)
        // Details for a peer include the terms.
        var demand = ReadDemand(.cacheOnly)
        demand.peerUrgency = .prefetch
        context.through = ReadThrough(demand)
        var (reader, claimsFresh) = (ByteReader(plan.message.body), false)
        for index in 0..<plan.message.count {
            let lookup = nextLookup(&reader, index, of: plan)
            guard cluster.handOver.departures.mayGive(lookup.operation.key, for: change) else {
                OperationResult.append(.miss, to: &replies.writer)
                continue
            }
            if give(lookup, isFromDisk: change != nil, &context, into: &replies.writer) {
                claimsFresh = true
            }
        }
        message.finish(&replies.writer, count: plan.message.count)
        replies.close(from: message.start, to: plan.frame.peer, claimsFresh: claimsFresh)
        return claimsFresh
    }

    /// Writes one result: a HIT for a fresh entry with complete metadata, otherwise MISS.
    ///
    /// - Returns: whether it claims to be fresh.
    private mutating func give(
        _ lookup: Lookup, isFromDisk: Bool, _ context: inout RequestContext,
        into writer: inout ByteWriter
    ) -> Bool {
        let operation = lookup.operation
        guard writer.count - context.start <= ShardLimits.answerRoomBytes else {
            OperationResult.append(.deferred, to: &writer)
            return false
        }
        if isFromDisk, entries.areReadsNeeded, operation.isKeyValid {
            _ = entries.bringBack(
                EntryStore.LocatedKey(lookup.hash, context.namespace, operation.key), &namespaces,
                now: context.now)
        }
        guard context.holdsLease, operation.isKeyValid, operation.part?.isValid ?? true,
            !isHeld(lookup, in: context.namespace),
            let entry = entries.memory.peek(
                lookup.hash, namespace: context.namespace, key: operation.key, now: context.now),
            !entry.isSoft, !entry.isNegative, !entry.isPastLifetime(at: context.now),
            entry.areTagsNamed
        else {
            OperationResult.append(.miss, to: &writer)
            return false
        }
        let isGiven = write(
            entry, Verdict(status: .hit, flags: []), lookup, &context, into: &writer)
        if isGiven, operation.part == nil { statistics.copiesGiven += 1 }
        return isGiven
    }

    /// The answer for a node that is about to copy: whether this shard gives copies, how many
    /// entries it has, and in which namespaces.
    ///
    /// - Parameter change: the record that moved slots from here to the asker; `nil`: it is a
    ///   replica.
    mutating func copyStatus(of change: LogPosition?, now: Instant) -> StatusReport {
        var report = StatusReport(
            role: .shard, state: log.standing.state(at: now), name: options.node.name,
            mark: log.applied)
        guard
            change.map({ !cluster.handOver.departures.slots(of: $0).isEmpty })
                ?? cluster.isReplicated
        else { return report }
        report.figures = [StatusReport.Figure(CopyFigure.gives, 1)]
        report.figures += entries.copyFigures(namespaces, now: now)
        return report
    }
}

/// The metrics of a STATUS REPORT for a node that copies entries.
enum CopyFigure {
    /// Whether the shard gives copies at all.
    static let gives = "gives_copies"
    /// Entries of the namespace whose name follows.
    static let entries = "entries_in:"
}
