import ByteCoding
import CacheAccess
import CacheMemory
import CacheModel
import CacheWire

extension ShardCore {
    /// A DELETE invalidates its keys on all nodes: the publisher appends the record, and the answer
    /// follows once this shard has applied it.
    mutating func answerDelete(
        _ plan: Plan, now: Instant, into replies: inout ReplyBuffer,
        effects: inout [ShardEffect]
    ) {
        guard plan.orderedAt != nil else {
            return publishKeys(of: plan, now: now, into: &replies, effects: &effects)
        }
        statistics.removes += UInt64(plan.message.count)
        let message = beginResults(plan, now: now, into: &replies)
        var reader = ByteReader(plan.message.body)
        for _ in 0..<plan.message.count {
            let operation = Self.planned { () throws(WireRefusal) in
                try DeleteOperation(decoding: &reader)
            }
            if (1...CacheKey.bytesMax).contains(operation.key.count) {
                OperationResult.append(.removed, to: &replies.writer)
            } else {
                refuse(.outOfRange, "a key has 1 to 4096 bytes", into: &replies.writer)
            }
        }
        finishResults(message, plan, claimsFresh: false, now: now, in: &replies)
    }

    /// Sets the new time to live of every key of a TOUCH.
    mutating func answerTouch(_ plan: Plan, now: Instant, into replies: inout ReplyBuffer) {
        let message = beginResults(plan, now: now, into: &replies)
        var reader = ByteReader(plan.message.body)
        statistics.touches += UInt64(plan.message.count)
        for index in 0..<plan.message.count {
            let operation = Self.planned { () throws(WireRefusal) in
                try TouchOperation(decoding: &reader)
            }
            guard (1...CacheKey.bytesMax).contains(operation.key.count) else {
                refuse(.outOfRange, "a key has 1 to 4096 bytes", into: &replies.writer)
                continue
            }
            guard operation.timeToLive <= WireLimits.timeToLiveMax || operation.timeToLive == .max
            else {
                refuse(.outOfRange, WireLimits.timeToLiveProblem, into: &replies.writer)
                continue
            }
            let key = EntryStore.LocatedKey(
                hashes[plan.firstHash + index], plan.namespace, operation.key)
            if entries.areReadsNeeded, !entries.bringBack(key, &namespaces, now: now) {
                OperationResult.append(.deferred, to: &replies.writer)
                continue
            }
            let end = touchedEnd(operation, key.hash, plan.namespace, now: now)
            if entries.touch(key, expiresAt: end, namespaces.names, now: now) {
                cluster.handOver.arrivals.noteStored(key.hash, operation.key)
                OperationResult.append(.touched, to: &replies.writer)
            } else {
                refuse(.absent, into: &replies.writer)
            }
        }
        finishResults(message, plan, claimsFresh: false, now: now, in: &replies)
    }

    /// Keeps a part of a value that is too large for one frame.
    mutating func answerChunk(_ plan: Plan, now: Instant, into replies: inout ReplyBuffer) {
        var reader = ByteReader(plan.message.body)
        do throws(WireRefusal) {
            guard plan.message.count == 1 else {
                throw WireRefusal(.outOfRange, "a message carries one chunk")
            }
            let chunk = try ChunkOperation(decoding: &reader)
            try reader.expectEnd()
            guard chunk.isValid else {
                return refuseAll(plan, .outOfRange, now: now, into: &replies)
            }
            if isDraining, !uploads.isUnderWay(chunk.uploadID, of: plan.frame.peer) {
                return refuseAll(plan, .draining, now: now, into: &replies)
            }
            let principal = admission.shareholder(plan.frame.principal) ?? .unknown
            switch uploads.receive(chunk, from: plan.frame.peer, of: principal, now: now) {
            case .busy: answerBusy(plan, now: now, into: &replies)
            case .outOfOrder: refuseAll(plan, .uploadIncomplete, now: now, into: &replies)
            case .received:
                let message = beginResults(plan, now: now, into: &replies)
                OperationResult.append(.received, to: &replies.writer)
                finishResults(message, plan, claimsFresh: false, now: now, in: &replies)
            }
        } catch {
            refuse(
                plan.frame.peer, requestID: plan.message.requestID, error, into: &replies)
        }
    }
}
