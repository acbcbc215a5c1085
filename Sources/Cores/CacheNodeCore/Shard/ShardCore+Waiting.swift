import ByteCoding
import CacheInvalidation
import CacheMemory
package import CacheModel
import CacheWire

extension ShardCore {
    /// Whether requests are waiting.
    package var hasWaiting: Bool { waiting.count > 0 }

    /// When the first of them must be answered at the latest.
    package var nextDeadline: Instant? { waiting.nextDeadline }

    /// Whether a message may wait: there is space, and its principal has not used up its share.
    func hasRoomToWait(_ plan: Plan) -> Bool {
        guard let principal = admission.shareholder(plan.frame.principal) else {
            return waiting.hasRoom
        }
        return waiting.hasRoom(for: principal, countMax: admission.waitingMax(of: principal))
    }

    /// Keeps a request until its condition is true or its deadline has passed.
    mutating func park(
        _ plan: Plan, _ condition: WaitTable.Condition, tickets: Range<UInt64> = 0..<0,
        now: Instant, into replies: inout ReplyBuffer
    ) {
        guard hasRoomToWait(plan) else { return answerBusy(plan, now: now, into: &replies) }
        // A published record is appended whether a caller waits or not.
        let end =
            tickets.isEmpty
            ? askerDeadline(of: plan, now: now) : now.advanced(by: waitAsked(by: plan))
        let isPeersForPosition =
            if case .position = condition { plan.message.fields.isFromPeer } else { false }
        // A node that cannot catch up must not use up the time of a load that others could make.
        let longest = isPeersForPosition ? PeerLimits.positionWaitMax : ShardLimits.waitMax
        let id = waiting.insert(
            plan.frame,
            deadline: min(end, now.advanced(by: longest)), condition: condition,
            tickets: tickets, now: now)
        waiting.noteProgress(
            of: id, orderedAt: plan.orderedAt, hasPassedHead: plan.hasPassedHead)
        if !plan.refused.isEmpty { waiting.noteRefused(plan.refused, of: id) }
        if isPeersForPosition { waiting.noteAsker(of: id, waitsUntil: end) }
    }

    /// When the asker of a message stops waiting, however often it has been kept.
    func askerDeadline(of plan: Plan, now: Instant) -> Instant {
        plan.askedUntil ?? now.advanced(by: waitAsked(by: plan))
    }

    func waitAsked(by plan: Plan) -> Duration {
        let asked = plan.message.fields.deadlineMilliseconds.map {
            Duration.milliseconds(Int64($0))
        }
        return min(asked ?? ShardLimits.waitDefault, ShardLimits.waitMax)
    }

    /// Has the publisher append an invalidation of every key of a message, and keeps the message
    /// until this shard has applied it.
    mutating func publishKeys(
        of plan: Plan, now: Instant, into replies: inout ReplyBuffer,
        effects: inout [ShardEffect]
    ) {
        guard hasRoomToWait(plan) else { return answerBusy(plan, now: now, into: &replies) }
        let groups = scopeGroups(of: plan)
        guard !groups.isEmpty else { return refuseAll(plan, .outOfRange, now: now, into: &replies) }
        let tickets = waiting.takeTickets(groups.count)
        for (index, (ticket, scopes)) in zip(tickets, groups).enumerated() {
            var request = ShardPublishRequest(
                shard: options.shardIndex, ticket: ticket, scopes: scopes,
                operation: operation(of: plan, index, ticket))
            request.ordersStore = plan.message.type == .set
            request.issuer = admission.issuer(of: plan.frame.principal)
            request.trace = plan.message.fields.traceContext
            effects.append(.publish(request))
        }
        park(
            plan, .publications(leftCount: groups.count, highest: .none, failed: false),
            tickets: tickets, now: now, into: &replies)
    }

    /// An operation id for the part `index` of a message's publications: derived from the asker's
    /// own, so that a repeated message is not published twice, otherwise a unique one.
    private func operation(of plan: Plan, _ index: Int, _ ticket: UInt64) -> OperationID {
        let asked = plan.message.fields.operation
        guard asked == .none else {
            return OperationID(high: asked.high, low: asked.low &+ UInt64(index))
        }
        return options.operationNames.name(
            ticket, of: .publication(shard: UInt16(options.shardIndex.rawValue)))
    }

    /// The keys of a message as scopes, in as many groups as records are needed. A store with a
    /// token is ordered by it already: its own record would void its lease.
    private mutating func scopeGroups(of plan: Plan) -> [[Scope]] {
        let namespace = plan.message.fields.namespace.flatMap {
            Namespace(String(decoding: $0, as: UTF8.self))
        }
        var reader = ByteReader(plan.message.body)
        var groups: [[Scope]] = []
        var bytes = InvalidationRecord.bytesMax
        for index in 0..<plan.message.count {
            let (keyBytes, version, isOrdered) = nextPlannedKey(plan, &reader)
            guard !isOrdered, !plan.refused.contains(index),
                let key = CacheKey(bytes: [UInt8](keyBytes))
            else { continue }
            let cost = 16 + Namespace.bytesMax + keyBytes.count
            let isFull = groups.last.map { $0.count == InvalidationRecord.scopesMax } ?? true
            if isFull || bytes + cost > InvalidationRecord.bytesMax - 64 {
                groups.append([])
                bytes = 0
            }
            bytes += cost
            groups[groups.count - 1].append(
                Scope(.key(key, in: namespace ?? .default), minimumVersion: version))
        }
        return groups
    }

    /// The next key; the version it is to be stored with: an entry of that version or a later one
    /// is not invalidated by the record; and whether the store has a token.
    private mutating func nextPlannedKey(
        _ plan: Plan, _ reader: inout ByteReader
    ) -> (UnsafeRawBufferPointer, Version?, isOrdered: Bool) {
        guard plan.message.type == .set else {
            let key = Self.planned { () throws(WireRefusal) in
                try DeleteOperation(decoding: &reader).key
            }
            return (key, nil, false)
        }
        let store = nextStore(&reader)
        return (store.key, store.version == .none ? nil : store.version, store.token != nil)
    }

    /// Keeps a FRESH request until this shard has passed the publisher's current head. Those of one
    /// turn share a request.
    mutating func parkForHead(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer, effects: inout [ShardEffect]
    ) {
        guard hasRoomToWait(plan) else { return answerBusy(plan, now: now, into: &replies) }
        statistics.headWaits += 1
        if case .askHead(let number) = effects.last, number == log.headRequest {
            // It has not been sent in this turn.
        } else {
            effects.append(.askHead(number: log.nextHeadRequest()))
        }
        let atLeast = plan.message.fields.atLeast ?? .none
        park(
            plan, .head(number: log.headRequest, atLeast: atLeast), now: now, into: &replies)
    }

    /// The publisher has reported its head, in answer to the request of this number and to every
    /// earlier one.
    package mutating func headKnown(number: UInt64, head: LogPosition) {
        waiting.headKnown(number: number, head: head)
    }

    /// The publisher has answered a publication; `nil`: it is unreachable, or refused.
    package mutating func published(ticket: UInt64, at position: LogPosition?) {
        waiting.published(ticket: ticket, at: position)
    }

    /// The position up to which a request need not wait.
    private var reach: LogPosition {
        options.guards.isOn(.orderedWait)
            ? log.applied.position : LogPosition(epoch: Epoch(.max), sequence: .none)
    }

    /// Answers every waiting request that need not wait any longer.
    package mutating func finishWaiting(
        now: Instant, into replies: inout ReplyBuffer, effects: inout [ShardEffect]
    ) {
        while replies.byteCount < ShardLimits.replyBytesPerGroupMax,
            let ready = waiting.takeReady(applied: reach, now: now)
        {
            let byteCount = replies.byteCount
            replies.principal = ready.principal
            ready.frame.withUnsafeBytes { bytes in
                let frame = RequestFrame(
                    peer: ready.peer, bytes: bytes, principal: ready.principal)
                finish(ready, frame, now: now, into: &replies, effects: &effects)
            }
            admission.pay(ready.principal, bytes: replies.byteCount - byteCount, now: now)
        }
    }

    private func isStoreOfAnotherCluster(_ plan: Plan) -> Bool {
        plan.message.type == .set && plan.message.fields.cluster.contradicts(log.standing.cluster)
    }

    private mutating func finish(
        _ ready: WaitTable.Waiting, _ frame: RequestFrame, now: Instant,
        into replies: inout ReplyBuffer, effects: inout [ShardEffect]
    ) {
        plans.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
        loads.endWait(prefetchCount: ready.loads?.prefetchCount ?? 0)
        plan(frame, isAdmitted: true, isOrdered: ready.isOrdered, now: now, into: &replies)
        statistics.messages -= 1
        guard var plan = plans.first else { return }
        replies.mayBeReplaced = plan.message.type.isRead
        waiting.resume(ready, now: now)
        defer {
            // If it waits again, it keeps its times.
            if let times = waiting.takeResumed() {
                recorder.waits.waitEnded(of: plan.message, times, now: now)
            }
        }
        switch ready.condition {
        case .position(let position) where position > log.applied.position:
            answerBehind(plan, .position, now: now, into: &replies)
        case .head: answerBehind(plan, .head, now: now, into: &replies)
        case .writes(0, let position) where position > log.applied.position:
            answerBehind(plan, .position, now: now, into: &replies)
        case .publications where ready.orderedAt == nil:
            uploads.remove(of: plan.message, from: plan.frame.peer)
            refuseAll(plan, .publisherUnreachable, now: now, into: &replies)
        case _ where ready.orderedAt != nil && isStoreOfAnotherCluster(plan):
            // Published in a log that is no longer followed here: its position orders nothing.
            uploads.remove(of: plan.message, from: plan.frame.peer)
            refuseAll(plan, .publisherUnreachable, now: now, into: &replies)
        default:
            (plan.orderedAt, plan.refused) = (ready.orderedAt, ready.refused)
            plan.hasPassedHead = ready.hasPassedHead
            plan.hasReadDisk = ready.hasReadDisk
            plan.hasAskedOwnerBefore = ready.hasAskedOwnerBefore
            plan.askedUntil = ready.askedUntil ?? ready.deadline
            if case .reads(let left) = ready.condition, left > 0 { entries.noteLate() }
            answer(
                plan, evidence(of: ready, now: now), now: now, into: &replies, effects: &effects)
        }
    }

    private func evidence(of ready: WaitTable.Waiting, now: Instant) -> RequestEvidence {
        switch ready.condition {
        case .reads(let left): return left > 0 ? .lateForDisk : .none
        case .loads(let left):
            guard var loads = ready.loads else { return .none }
            loads.isLate = left > 0
            return .loads(loads)
        case .writes: return ready.writes.map { .writes($0) } ?? .none
        case .queue(let report): return .queue(report ?? QueueReport())
        case .comparison(let result): return .comparison(result ?? lateComparison(now: now))
        case .position, .head, .publications, .copies: return .none
        }
    }
}
