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
    mutating func isForOrigin(_ plan: Plan, _ evidence: RequestEvidence) -> Bool {
        if evidence.writes != nil || plan.message.fields.isForwarded { return true }
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
        _ plan: Plan, _ evidence: RequestEvidence, now: Instant, into replies: inout ReplyBuffer,
        effects: inout [ShardEffect]
    ) {
        if let results = evidence.writes {
            return answerWritten(plan, results, now: now, into: &replies)
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
        guard mayForward(plan, now: now), hasRoomToWait(plan) else {
            return answerBusy(plan, now: now, into: &replies)
        }
        let wait = waitAsked(by: plan)
        let id = waiting.insert(
            plan.frame, deadline: now.advanced(by: wait),
            condition: .writes(leftCount: plan.message.count, highest: .none), now: now)
        waiting.noteProgress(
            of: id, orderedAt: nil, hasPassedHead: plan.hasPassedHead, hasReadDisk: true)
        waiting.setWrites([:], of: id)
        writes.count += UInt64(plan.message.count)
        var reader = ByteReader(plan.message.body)
        for operation in 0..<plan.message.count {
            switch nextWrite(of: plan, operation, &reader) {
            case .success(let write):
                // Half of the time is for the origin: the rest may be needed to queue it.
                let pending = PendingWrite(request: id, operation: operation)
                var order = writes.begin(write, for: pending, patience: wait / 2)
                order.ownedSince = write.key.bytes.withUnsafeBytes { cluster.ownedSince($0) }
                let floor = entries.memory.keyFloor(of: hashes[plan.firstHash + operation])
                order.forwarded = plan.message.fields.forwarded.map {
                    cluster.forwarded(write.key, since: $0, coveredAt: log.position(of: floor))
                }
                effects.append(.write(order))
            case .failure(let refusal):
                waiting.writeEnded(
                    id, operation: operation, with: .refused(refusal), at: .none)
            }
        }
    }

    /// Whether another node's write can be judged, and told to an origin: without a lease another
    /// node may have written its key since, and a namespace that is only read has no writes.
    private func mayForward(_ plan: Plan, now: Instant) -> Bool {
        guard plan.message.fields.isForwarded else { return true }
        return log.standing.holdsLease(at: now)
            && namespaces.policy(of: plan.namespace).origin?.writesBehind == true
    }

    /// The owners of slots for the node's write queue, if they have changed since the last call.
    package mutating func takeSlotsNews() -> SlotsNews? { cluster.takeSlotsNews() }

    private mutating func nextWrite(
        of plan: Plan, _ operation: Int, _ reader: inout ByteReader
    ) -> Result<OriginWrite, StoreRefusal> {
        let fields = plan.message.fields
        let namespace = Namespace(namespaces.name(of: plan.namespace)) ?? .default
        let name = writes.nextID(asked: fields.operation, operation)
        return KeyChange.next(
            of: plan.message, &reader, from: plan.frame.peer, uploads: &uploads,
            valueBytesMax: namespaces.policy(of: plan.namespace).valueBytesMax
        ).map { changed in
            var write = OriginWrite(
                namespace: namespace, key: changed.key, change: changed.change, name: name)
            write.representation = changed.representation
            write.trace = fields.traceContext
            return write
        }
    }

    /// The result of a write. Its message may have gone: its wait is limited.
    package mutating func writeEnded(_ number: UInt64, _ answer: WriteAnswer) {
        guard let pending = writes.end(number) else { return }
        let position: LogPosition =
            if case .taken(let position) = answer { position } else { .none }
        waiting.writeEnded(
            pending.request, operation: pending.operation, with: .answered(answer), at: position)
    }
}

/// The change of one operation of a SET or DELETE for an origin.
struct KeyChange {
    var key: CacheKey
    var change: OriginWrite.Change
    var representation = Representation()

    /// Reads the next operation of a message that was decoded before.
    ///
    /// - Parameter uploads: the value of a store may be there, and is removed.
    static func next(
        of message: MessageView, _ reader: inout ByteReader, from peer: PeerID,
        uploads: inout UploadTable, valueBytesMax: Int
    ) -> Result<KeyChange, StoreRefusal> {
        guard message.type == .set else {
            let operation = ShardCore.planned { () throws(WireRefusal) in
                try DeleteOperation(decoding: &reader)
            }
            return CacheKey(bytes: [UInt8](operation.key)).map {
                .success(KeyChange(key: $0, change: .delete))
            } ?? .failure(.outOfRange)
        }
        var tags: [UnsafeRawBufferPointer] = []
        let operation = ShardCore.planned { () throws(WireRefusal) in
            try SetOperation(decoding: &reader, tags: &tags)
        }
        guard operation.problem == nil, operation.token == nil,
            !operation.options.contains(.renew),
            let key = CacheKey(bytes: [UInt8](operation.key))
        else { return .failure(.outOfRange) }
        var value = [UInt8](operation.value)
        if let upload = operation.upload {
            guard let uploaded = uploads.take(upload, of: peer) else {
                return .failure(.uploadIncomplete)
            }
            value = uploaded
        }
        guard value.count <= valueBytesMax else { return .failure(.tooLarge) }
        return .success(
            KeyChange(
                key: key, change: .put(value), representation: operation.representation))
    }
}
