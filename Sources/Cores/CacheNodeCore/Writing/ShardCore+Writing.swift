import ByteCoding
import CacheInvalidation
package import CacheLoading
import CacheMemory
import CacheModel
import CacheWire

/// Writes of clients in a namespace whose origin receives them from this node.
///
///     SET, DELETE ─▶ one order for each key ─▶ the node's queue ─▶ origin, publisher, journal
///                    the message waits                              │ an answer for each
///                    all are answered, and applied here ◀───────────┘
///
/// Nothing is stored: the key is invalidated, and the next reader causes a load.
extension ShardCore {
    /// Whether a message must be sent to an origin. A store with a token is not: it fills the cache
    /// with a value that its asker has read.
    mutating func isForOrigin(_ plan: Plan) -> Bool {
        if writesAtHand != nil { return true }
        guard plan.orderedAt == nil,
            namespaces.policy(of: plan.namespace).origin?.writesBehind == true
        else { return false }
        switch plan.message.type {
        case .delete: return true
        case .set: return !isOrdered(plan)
        default: return false
        }
    }

    mutating func answerWrite(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer,
        effects: inout [ShardEffect]
    ) {
        if let writesAtHand {
            return answerWritten(plan, writesAtHand, now: now, into: &replies)
        }
        do throws(WireRefusal) {
            try admission.authoriseWrite(plan.message, by: plan.frame.principal, tags: &tags)
        } catch {
            recorder.audit.appendDenial(
                of: plan.frame, by: admission.entry(of: plan.frame.principal), error)
            return refuse(plan.frame, error, into: &replies)
        }
        guard !isDraining || plan.message.type == .delete || isUnderWay(plan) else {
            return refuseAll(plan, .draining, now: now, into: &replies)
        }
        guard hasRoomToWait(plan) else { return answerBusy(plan, now: now, into: &replies) }
        let asked = plan.message.fields.deadlineMilliseconds.map {
            Duration.milliseconds(Int64($0))
        }
        let wait = min(asked ?? ShardLimits.waitDefault, ShardLimits.waitMax)
        let id = waiting.insert(
            plan.frame, deadline: now.advanced(by: wait),
            condition: .writes(leftCount: plan.message.count, highest: .none), now: now)
        waiting.noteProgress(
            of: id, orderedAt: nil, hasPassedHead: plan.hasPassedHead, hasReadDisk: true)
        waiting.setWrites([:], of: id)
        statistics.writes += UInt64(plan.message.count)
        var reader = ByteReader(plan.message.body)
        for operation in 0..<plan.message.count {
            switch nextWrite(of: plan, operation, &reader) {
            case .success(let write):
                // Half of the time is for the origin: the rest may be needed to queue it.
                let order = WriteOrder(
                    ticket: newTicket(of: PendingWrite(request: id, operation: operation)),
                    write: write, patience: wait / 2)
                effects.append(.write(order))
            case .failure(let refusal):
                waiting.writeEnded(
                    id, operation: operation, with: .refused(refusal), at: .none)
            }
        }
    }

    private mutating func newTicket(of pending: PendingWrite) -> WriteTicket {
        writesUnderWay[nextWriteNumber] = pending
        defer { nextWriteNumber += 1 }
        return WriteTicket(
            shard: UInt16(options.shardIndex.rawValue), number: nextWriteNumber)
    }

    /// The asker's own operation id, so that the origin detects a repetition, otherwise a unique
    /// one.
    private func writeName(of plan: Plan, _ operation: Int) -> OperationID {
        let asked = plan.message.fields.operation
        guard asked == .none else {
            return OperationID(high: asked.high, low: asked.low &+ UInt64(operation))
        }
        return options.operationNames.name(
            nextWriteNumber, of: .write(shard: UInt16(options.shardIndex.rawValue)))
    }

    private mutating func nextWrite(
        of plan: Plan, _ operation: Int, _ reader: inout ByteReader
    ) -> Result<OriginWrite, StoreRefusal> {
        let namespace = Namespace(namespaces.name(of: plan.namespace)) ?? .default
        let name = writeName(of: plan, operation)
        let trace = plan.message.fields.traceContext
        return nextChange(of: plan, &reader).map { changed in
            var write = OriginWrite(
                namespace: namespace, key: changed.key, change: changed.change, name: name)
            write.representation = changed.representation
            write.trace = trace
            return write
        }
    }

    /// The change of one operation.
    private struct KeyChange {
        var key: CacheKey
        var change: OriginWrite.Change
        var representation = Representation()
    }

    private mutating func nextChange(
        of plan: Plan, _ reader: inout ByteReader
    ) -> Result<KeyChange, StoreRefusal> {
        guard plan.message.type == .set else {
            let operation = Self.planned { () throws(WireRefusal) in
                try DeleteOperation(decoding: &reader)
            }
            return CacheKey(bytes: [UInt8](operation.key)).map {
                .success(KeyChange(key: $0, change: .delete))
            } ?? .failure(.outOfRange)
        }
        tags.removeAll(keepingCapacity: true)
        let operation = Self.planned { () throws(WireRefusal) in
            try SetOperation(decoding: &reader, tags: &tags)
        }
        guard operation.problem == nil, operation.token == nil,
            !operation.options.contains(.renew),
            let key = CacheKey(bytes: [UInt8](operation.key))
        else { return .failure(.outOfRange) }
        var value = [UInt8](operation.value)
        if let upload = operation.upload {
            guard let uploaded = uploads.take(upload, of: plan.frame.peer) else {
                return .failure(.uploadIncomplete)
            }
            value = uploaded
        }
        let valueBytesMax = namespaces.policy(of: plan.namespace).valueBytesMax
        guard value.count <= valueBytesMax else { return .failure(.tooLarge) }
        return .success(
            KeyChange(
                key: key, change: .put(value), representation: operation.representation))
    }

    /// The result of a write. Its message may have gone: its wait is limited.
    package mutating func writeEnded(_ number: UInt64, _ answer: WriteAnswer) {
        guard let pending = writesUnderWay.removeValue(forKey: number) else { return }
        let position: LogPosition =
            if case .taken(let position) = answer { position } else { .none }
        waiting.writeEnded(
            pending.request, operation: pending.operation, with: .answered(answer), at: position)
    }
}
