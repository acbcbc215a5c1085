import CacheInvalidation
import CacheModel
import CacheWire

/// INVALIDATE: queue, append once a turn, wait, answer.
extension PublisherMind {
    mutating func takeInvalidate(
        _ message: MessageView, from asker: Asker, now: Instant,
        into actions: inout [PublisherAction]
    ) throws(WireRefusal) {
        let request = try InvalidateRequest(decoding: message)
        let bytes = message.body.count
        guard queue.count + receipts.count < InvalidationLimits.waitsMax,
            queuedBytes + bytes <= PublisherLimits.queuedBytesMax
        else {
            let sentence = "too many invalidations are under way; nothing was invalidated"
            return refuse(asker, .busy, sentence, into: &actions)
        }
        // Whoever asks is gone after its deadline, so there is no use in waiting longer.
        let milliseconds = min(
            request.timeoutMilliseconds, message.fields.deadlineMilliseconds ?? .max)
        let wait = min(.milliseconds(Int64(milliseconds)), InvalidationLimits.waitTimeMax)
        queuedBytes += bytes
        queue.append(
            Queued(
                asker: asker, request: request, deadline: now.advanced(by: wait), bytes: bytes))
    }

    /// Refuses what waited for its append until its time was up.
    mutating func dropOverdue(now: Instant, into actions: inout [PublisherAction]) {
        guard queue.contains(where: { $0.deadline <= now }) else { return }
        var kept: [Queued] = []
        for queued in queue {
            guard queued.deadline <= now else {
                kept.append(queued)
                continue
            }
            queuedBytes -= queued.bytes
            let sentence =
                "the publisher has just started and asks its nodes where the log stands; nothing "
                + "was invalidated, try again"
            refuse(queued.asker, .busy, sentence, into: &actions)
        }
        queue = kept
    }

    /// One append and one broadcast for everything that queued up, then the waiting begins.
    mutating func commit(now: Instant, into actions: inout [PublisherAction]) {
        guard !queue.isEmpty else { return }
        let requests = queue
        queue = []
        queuedBytes = 0
        openEpochIfNumbersRunOut(requests.count)
        let (batch, placed) = seal(requests, into: &actions)
        if !batch.isEmpty {
            do throws(LogRefusal) {
                try log.append(batch, expecting: log.head)
            } catch {
                return refuseUnwritten(placed, because: error, into: &actions)
            }
            note(batch)
            broadcast(batch, now: now, into: &actions)
        }
        for (queued, position) in placed {
            wait(for: queued, at: position, now: now)
        }
    }

    private mutating func openEpochIfNumbersRunOut(_ needed: Int) {
        let head = log.head.position
        guard SequenceNumber.max.rawValue - head.sequence.rawValue < UInt64(needed),
            head.epoch.rawValue < .max
        else { return }
        log.open(head.epoch.next)
        statistics.epochsOpened += 1
    }

    private typealias Placed = (queued: Queued, position: LogPosition)

    /// Numbers and encodes each request that was not done before. One that cannot be encoded is
    /// refused and takes no number.
    private mutating func seal(
        _ requests: [Queued], into actions: inout [PublisherAction]
    ) -> ([SealedRecord], [Placed]) {
        var head = log.head
        var batch: [SealedRecord] = []
        var placed: [Placed] = []
        var inBatch: [OperationID: LogPosition] = [:]
        for queued in requests {
            let operation = queued.request.operation
            if let known = operations.position(of: operation) ?? inBatch[operation] {
                statistics.repetitions += 1
                placed.append((queued, known))
                continue
            }
            let record = InvalidationRecord(
                position: head.position.next, previousDigest: head.digest, operation: operation,
                strength: queued.request.strength, scopes: queued.request.scopes)
            do throws(WireRefusal) {
                let sealed = try SealedRecord(sealing: record)
                batch.append(sealed)
                placed.append((queued, sealed.position))
                head = sealed.mark
                if operation != .none { inBatch[operation] = sealed.position }
            } catch {
                refuse(queued.asker, error.code, error.sentence, into: &actions)
            }
        }
        return (batch, placed)
    }

    private mutating func note(_ batch: [SealedRecord]) {
        hasAppended = true
        statistics.appends += 1
        statistics.records += UInt64(batch.count)
        for sealed in batch {
            statistics.scopes += UInt64(sealed.record.scopes.count)
            statistics.recordBytes += UInt64(sealed.bytes.count)
            operations.remember(sealed.record.operation, at: sealed.position)
        }
    }

    private mutating func refuseUnwritten(
        _ placed: [Placed], because refusal: LogRefusal, into actions: inout [PublisherAction]
    ) {
        for (queued, _) in placed {
            let sentence = "the log could not be written (\(refusal)); nothing was invalidated"
            refuse(queued.asker, .unavailable, sentence, into: &actions)
        }
    }

    private mutating func wait(for queued: Queued, at position: LogPosition, now: Instant) {
        lastToken += 1
        let token = ReceiptTracker.Token(lastToken)
        waiting[token] = queued.asker
        let order = ReceiptTracker.Order(
            token: token, position: position, goal: goal(of: queued.request.wait),
            deadline: queued.deadline)
        receipts.begin(order, grants: grants, now: now)
    }

    private func goal(of mode: WaitMode) -> ReceiptTracker.Goal {
        switch mode {
        case .none: .nothing
        case .quorum: .nodes(plan.quorum)
        case .all: .everyHolder
        }
    }

    /// Sends the receipts of the waits that are over at `now`.
    mutating func answerReceipts(at now: Instant, into actions: inout [PublisherAction]) {
        for outcome in receipts.takeFinished(at: now) {
            guard let asker = waiting.removeValue(forKey: outcome.order.token) else { continue }
            if outcome.isComplete {
                statistics.receiptsComplete += 1
            } else {
                statistics.receiptsIncomplete += 1
            }
            let receipt = receipt(for: outcome)
            reply(to: asker, into: &actions) {
                receipt.encode(requestID: asker.requestID, into: &$0)
            }
        }
    }

    private func receipt(for outcome: ReceiptOutcome) -> Receipt {
        let mode: WaitMode =
            switch outcome.order.goal {
            case .nothing: .none
            case .nodes: .quorum
            case .everyHolder: .all
            }
        // A near cache lives on the lease left of the answer it was filled from; that answer may
        // have been sent right before the last node obeyed.
        var receipt = Receipt(
            position: outcome.order.position, wait: mode, isComplete: outcome.isComplete,
            nearCacheMilliseconds: plan.leaseMilliseconds)
        receipt.applied = outcome.applied.map { .init(node: $0.node, elapsed: $0.elapsed) }
        receipt.expired = outcome.expired.map { .init(node: $0.node, elapsed: $0.elapsed) }
        receipt.pending = outcome.pending
        return receipt
    }
}
