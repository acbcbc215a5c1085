import CacheModel
import CacheNodeCore
import CacheWire

/// Judges the statements of a receipt.
extension LogJudge {
    func judgeReceipt(_ frame: [UInt8], to peer: UInt32) throws(Violation) {
        let (number, receipt) = try SentFrame.decoded(frame) {
            (Int(clamping: $0.requestID), try Receipt(decoding: $0))
        }
        count(receipt.isComplete ? .completeReceipts : .incompleteReceipts)
        if !receipt.expired.isEmpty { count(.receiptsWithExpired) }
        note(
            .publisher, receipt.isComplete ? "receipt, complete" : "receipt, incomplete",
            receipt.applied.count, at: receipt.position)
        // Another record may have the number now; an epoch hides both.
        if ledger?.lostPositions.contains(receipt.position) == true { return }
        guard let index = chronicle.index(at: receipt.position) else {
            throw Violation("a receipt names \(receipt.position), where there is no record")
        }
        try judgeCompleteness(receipt)
        let question = publisher.memory.questions[
            .init(peer: peer, requestID: UInt64(number))]
        try judgePatience(
            receipt, chronicle.records[index], request: number, askedAt: question?.time)
        // For a record of an earlier publisher, the wait begins with the request to this publisher.
        let isOwn = chronicle.records[index].generation == publisher.generation
        let began = isOwn ? chronicle.records[index].step : question?.step ?? step
        for line in receipt.applied { try judgeApplied(line.node, chronicle.records[index]) }
        for node in 0..<settings.nodeCount
        where !receipt.pending.contains(SimulatedNodes.id(of: node))
            && !receipt.pending.contains(.unnamed)
        {
            chronicle.release(
                node, from: index, .init(generation: publisher.generation, began: began))
        }
        for run in nodes.runs where !run.isDead {
            // From this moment on, a node that is not pending must not serve fresh entries without
            // the record.
            for shard in run.shards
            where !shard.memory.hasObeyed(chronicle.records[index]) && leases.holdsLease(shard) {
                try leases.judgeFresh(chronicle.records[index], shard)
            }
        }
    }

    private func judgeCompleteness(_ receipt: Receipt) throws(Violation) {
        let listed =
            receipt.applied.map(\.node) + receipt.expired.map(\.node) + receipt.pending
        // The members at the beginning of the wait are not checked: there may be fewer.
        let nodes = settings.mayMembersBeFewer ? Set(listed).count : settings.nodeCount
        try Violation.unless(
            Set(listed).count == nodes && listed.count == nodes,
            "a receipt for \(receipt.position) does not list each node once")
        if receipt.wait == .quorum, settings.mayMembersBeFewer { return }
        let isReached =
            switch receipt.wait {
            case .none: true
            case .quorum: receipt.applied.count >= settings.nodeCount / 2 + 1
            case .all: receipt.pending.isEmpty
            }
        try Violation.unless(
            receipt.isComplete == isReached,
            "a receipt for \(receipt.position) that waits for \(receipt.wait) says complete "
                + "\(receipt.isComplete), and lists \(receipt.applied.count) applied and "
                + "\(receipt.pending.count) pending")
    }

    /// A publisher stops granting leases to a node that does not catch up. So a wait for all nodes
    /// completes within little more than three leases, if the publisher is up all that time.
    private func judgePatience(
        _ receipt: Receipt, _ record: RecordFact, request number: Int, askedAt: WorldTime?
    ) throws(Violation) {
        guard receipt.wait == .all, !receipt.isComplete, requests.intents.indices.contains(number),
            requests.intents[number].request.operation == record.sealed.record.operation
        else { return }
        let asked = Span.milliseconds(Int(requests.intents[number].request.timeoutMilliseconds))
        // With several publishers a writer asks again, also for a record of an earlier term, and a
        // lease may be granted later than it was asked for.
        let began = settings.shared == nil ? record.time : max(record.time, askedAt ?? now)
        let waited = min(asked, began.span(to: now), publisher.upSince.span(to: now))
        let late = settings.shared == nil ? 0 : 2_000
        guard waited > .milliseconds(settings.leaseMilliseconds * 32 / 10 + late) else { return }
        throw Violation(
            "a receipt for \(record.position) is incomplete, though a node that has not applied it "
                + "for three leases cannot hold one")
    }

    /// A node is listed as applied only if every shard of one of its runs has applied the record.
    private func judgeApplied(_ id: NodeID, _ record: RecordFact) throws(Violation) {
        let hasObeyed = nodes.runs.contains { run in
            SimulatedNodes.id(of: run.node) == id
                && run.shards.allSatisfy { $0.memory.hasObeyed(record) || Self.isEmpty($0) }
        }
        try Violation.unless(
            hasObeyed,
            "a receipt lists \(id) as having obeyed \(record.position), and not every shard of it "
                + "has")
    }

    /// Whether a shard without entries has not yet received the position where its node began. It
    /// answers nothing from before, so its node answers for it.
    private static func isEmpty(_ shard: SimulatedShard) -> Bool {
        shard.isBeginner && shard.memory.mark == .none && shard.memory.residents.isEmpty
    }
}
