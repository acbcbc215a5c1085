import CacheAccess
package import CacheInvalidation
package import CacheModel
import CacheWire

/// INVALIDATE: queue, append once per turn, wait, answer.
extension PublisherMind {
    mutating func takeInvalidate(_ message: IncomingMessage) throws(WireRefusal) {
        let now = message.now
        var requester = message.requester
        var request = try InvalidateRequest(decoding: message.view)
        try message.authorise(request.scopes)
        requester.party?.claim = request.issuer
        requester.party?.trace = request.trace
        request.issuer = message.issuer(request.issuer)
        let bytes = message.view.body.count
        guard hasRoomForWait,
            queuedBytes + bytes <= PublisherLimits.queuedBytesMax
        else {
            let sentence = "too many invalidations are under way; nothing was invalidated"
            return output.refuse(requester, .busy, sentence)
        }
        guard mayWait(message, bytes) else {
            let sentence =
                "your key has as many invalidations under way as it may; nothing was invalidated"
            return output.refuse(requester, .busy, sentence)
        }
        let deadline = Self.deadline(request.timeoutMilliseconds, message.fields, now: now)
        queuedBytes += bytes
        waitShares.enter(requester.principal, bytes)
        queue.append(
            Queued(requester: requester, request: request, deadline: deadline, bytes: bytes))
    }

    /// Whether one more request may wait for its receipt.
    var hasRoomForWait: Bool {
        queue.count + receipts.count + (appending?.placed.count ?? 0) < InvalidationLimits.waitsMax
    }

    /// Whether the sender's key has waits left in its share of that capacity. A node has no share,
    /// because it waits for many clients.
    func mayWait(_ message: IncomingMessage, _ bytes: Int) -> Bool {
        guard let entry = message.entry, !entry.rights.contains(.node) else { return true }
        let principal = message.requester.principal
        return waitShares.hasRoom(
            for: principal, bytes, countMax: admission.waitingMax(of: principal))
    }

    /// Queues the echoes that are due, as requests that no client waits for.
    mutating func queueEchoes(now: Instant) {
        for request in echoes.takeDueRequests(now: now) {
            output.statistics.echoes += UInt64(request.scopes.count)
            queue.append(
                Queued(
                    requester: nil, request: request, deadline: Instant(nanoseconds: .max),
                    bytes: 0))
        }
    }

    /// The end of a wait for a receipt. A client is gone after its deadline, so the wait is never
    /// longer.
    static func deadline(
        _ timeoutMilliseconds: UInt32, _ fields: MessageFields, now: Instant
    ) -> Instant {
        let milliseconds = min(timeoutMilliseconds, fields.deadlineMilliseconds ?? .max)
        return now.advanced(
            by: min(.milliseconds(Int64(milliseconds)), InvalidationLimits.waitTimeMax))
    }

    /// Refuses the requests that waited for their append until their deadline.
    mutating func dropOverdue(now: Instant) {
        guard queue.contains(where: { $0.deadline <= now }) else { return }
        var kept: [Queued] = []
        for queued in queue {
            guard queued.deadline <= now else {
                kept.append(queued)
                continue
            }
            queuedBytes -= queued.bytes
            guard let requester = queued.requester else { continue }
            waitShares.leave(requester.principal, queued.bytes)
            output.refuse(requester, .busy, whyOverdue)
        }
        queue = kept
    }

    private var whyOverdue: String {
        log.hasHistory
            ? "the log is still writing what came before; nothing was invalidated, try again"
            : "the publisher has just started and asks its nodes for the log's position; "
                + "nothing was invalidated, try again"
    }

    /// Appends all queued requests at once. If the log has the records at once, they are published
    /// at once; otherwise by ``appended(_:now:into:)``, and later requests go into the next append.
    mutating func commit(now: Instant) {
        guard !queue.isEmpty else { return }
        guard appending == nil else { return dropOverdue(now: now) }
        let requests = queue
        queue = []
        queuedBytes = 0
        for request in requests {
            guard let requester = request.requester else { continue }
            waitShares.handOver(requester.principal, request.bytes)
        }
        openEpochIfNumbersRunOut(requests.count)
        let (batch, placed) = seal(requests)
        guard !batch.isEmpty else {
            noteSlices(placed, now: now)
            noteOrders(placed, newSince: nil)
            return wait(for: placed, now: now)
        }
        do throws(LogRefusal) {
            switch try log.append(batch, expecting: log.head) {
            case .done: publish(batch, placed, now: now)
            case .underWay(let ticket):
                appending = Appending(
                    ticket: ticket, batch: batch, placed: placed,
                    holders: plan.guards.isOn(.waitSetAfterHead) ? nil : grants)
                if !plan.guards.isOn(.durableBeforeTold) {
                    broadcast(batch, isAwaited: true, now: now)
                }
            }
        } catch {
            refuseUnwritten(placed, because: error, now: now)
        }
    }

    /// The log has finished a slow append. An append that a new epoch superseded is ignored: its
    /// requests were numbered anew.
    package mutating func appended(
        _ outcome: LogOutcome, now: Instant, into actions: inout [PublisherAction]
    ) {
        swap(&actions, &output.actions)
        defer { swap(&actions, &output.actions) }
        guard let ended = appending, ended.ticket == outcome.ticket else { return }
        appending = nil
        log.finish(outcome)
        if let refusal = outcome.refusal {
            refuseUnwritten(ended.placed, because: refusal, now: now)
        } else {
            publish(
                ended.batch, ended.placed, among: ended.holders, now: now)
        }
    }

    /// The records are in the log: broadcasts them, and then starts the waits. No node receives a
    /// record earlier, because it would apply a record that may still be lost.
    private mutating func publish(
        _ batch: [SealedRecord], _ placed: [Placed], among holders: GrantTable? = nil,
        now: Instant
    ) {
        note(batch)
        if let first = batch.first {
            for one in placed where one.position >= first.position {
                let issuer = one.queued.request.issuer
                recent.note(one.position, .init(issuer: issuer, appendedAt: now))
                // An echo has no echo.
                if one.queued.requester != nil || one.queued.pacing != nil {
                    echoes.plan(one.queued.request, plan, now: now)
                }
            }
        }
        noteSlices(placed, now: now)
        noteMembership(placed)
        noteOrders(placed, newSince: batch.first?.position)
        let isAwaited = placed.contains { $0.queued.request.wait != .none }
        broadcast(batch, isAwaited: isAwaited, now: now)
        wait(for: placed, among: holders, now: now)
    }

    private mutating func wait(
        for placed: [Placed], among holders: GrantTable? = nil, now: Instant
    ) {
        let orders = placed.compactMap { one -> ReceiptTracker.Order? in
            guard let requester = one.queued.requester else { return nil }
            let token = nextToken(for: Waiting(requester: requester, isQuestion: false))
            return ReceiptTracker.Order(
                token: token, position: one.position, goal: goal(of: one.queued.request.wait),
                deadline: one.queued.deadline)
        }
        receipts.begin(orders, grants: holders ?? grants, now: now)
    }

    mutating func nextToken(for who: Waiting) -> ReceiptTracker.Token {
        lastToken += 1
        let token = ReceiptTracker.Token(lastToken)
        waiting[token] = who
        return token
    }

    /// Opens a new epoch. Records that were being written in the old one were sent to no node, so
    /// their requests are queued again and numbered anew.
    mutating func openEpoch(_ epoch: Epoch) {
        log.open(epoch)
        // The log may have been set back, and the table stored beside it as well.
        distrustLives()
        membership.begunAnew()
        floorServer.restart(at: log, isCertain: true)
        output.statistics.epochsOpened += 1
        guard let abandoned = appending else { return }
        appending = nil
        for queued in abandoned.placed.lazy.map(\.queued) {
            guard let requester = queued.requester else { continue }
            waitShares.takeBack(requester.principal, queued.bytes)
        }
        queue = abandoned.placed.map(\.queued) + queue
        queuedBytes = queue.reduce(0) { $0 + $1.bytes }
    }

    private mutating func openEpochIfNumbersRunOut(_ needed: Int) {
        let head = log.head.position
        guard SequenceNumber.max.rawValue - head.sequence.rawValue < UInt64(needed),
            head.epoch.rawValue < .max
        else { return }
        openEpoch(head.epoch.next)
    }

    /// Numbers and encodes each request that was not executed before. A request that cannot be
    /// encoded is refused and gets no number.
    private mutating func seal(
        _ requests: [Queued]
    ) -> ([SealedRecord], [Placed]) {
        var head = log.head
        var batch: [SealedRecord] = []
        var placed: [Placed] = []
        var inBatch: [OperationImprint: LogPosition] = [:]
        for queued in requests {
            let request = queued.request
            let operation = OperationImprint(request.operation, request.strength, request.scopes)
            if let known = operations.position(of: operation) ?? inBatch[operation],
                plan.guards.isOn(.operationMemory)
            {
                output.statistics.repetitions += 1
                placed.append(Placed(queued: queued, position: known))
                continue
            }
            guard head.position.sequence < .max else {
                giveUp(queued, .unavailable, Self.numbersUsedUpSentence)
                continue
            }
            let record = InvalidationRecord(
                position: head.position.next, previousDigest: head.digest,
                operation: request.operation, strength: request.strength, scopes: request.scopes)
            do throws(WireRefusal) {
                let sealed = try SealedRecord(sealing: record)
                batch.append(sealed)
                placed.append(Placed(queued: queued, position: sealed.position))
                head = sealed.mark
                if request.operation != .none { inBatch[operation] = sealed.position }
            } catch {
                giveUp(queued, error.code, error.sentence)
            }
        }
        return (batch, placed)
    }

    private static var numbersUsedUpSentence: String {
        "the log has used up its numbers; nothing was invalidated. Begin one in another directory"
    }

    private mutating func note(_ batch: [SealedRecord]) {
        hasAppended = true
        output.statistics.appends += 1
        output.statistics.records += UInt64(batch.count)
        for sealed in batch {
            output.statistics.scopes += UInt64(sealed.record.scopes.count)
            output.statistics.recordBytes += UInt64(sealed.bytes.count)
            operations.remember(OperationImprint(sealed.record), at: sealed.position)
            floorServer.append(sealed)
        }
    }

    /// Refuses the requests that were not appended. Repeated requests with an earlier position
    /// still wait.
    private mutating func refuseUnwritten(
        _ placed: [Placed], because refusal: LogRefusal, now: Instant
    ) {
        output.statistics.appendsRefused += 1
        let head = log.head.position
        let known = placed.filter { $0.position <= head }
        noteSlices(known, now: now)
        noteOrders(known, newSince: nil)
        wait(for: known, now: now)
        for one in placed where one.position > head {
            let sentence = "the log could not be written: \(refusal); nothing was invalidated"
            if let requester = one.queued.requester {
                waitShares.leave(requester.principal)
                output.refuse(requester, .unavailable, sentence)
            } else if let id = one.queued.pacing {
                pacings.refused(id, now: now)
            } else if one.queued.told != nil {
                membership.refused(retryAt: now.advanced(by: PublisherLimits.echoRetry))
            } else {
                echoes.retry(one.queued.request, now: now)
            }
        }
    }

    /// Refuses a request without a number. Echoes and slices always get one.
    private mutating func giveUp(
        _ queued: Queued, _ code: ErrorCode, _ sentence: String
    ) {
        guard let requester = queued.requester else { return }
        waitShares.leave(requester.principal)
        output.refuse(requester, code, sentence)
    }

    func goal(of mode: WaitMode) -> ReceiptTracker.Goal {
        switch mode {
        case .none: .nothing
        case .quorum: .nodes(plan.quorum)
        case .all: .everyHolder
        }
    }
}
