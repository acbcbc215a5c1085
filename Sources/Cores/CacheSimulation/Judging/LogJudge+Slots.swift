import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore

/// Judges when slots are served by other owners than before.
extension LogJudge {
    /// A publisher sends a record for the first time. One that has slots served states the same as
    /// a complete receipt of the change that moved them: no node that has not applied it can answer
    /// any more.
    func judgeServed(_ record: SealedRecord) throws(Violation) {
        guard case .served(let below) = record.record.slots else { return }
        count(.servedSlots)
        let change = LogPosition(
            epoch: record.position.epoch, sequence: SequenceNumber(below.rawValue - 1))
        note(.publisher, "has slots served", at: change)
        guard change.sequence != .none else { return try judgeEntered(change.epoch) }
        guard let index = chronicle.index(at: change) else {
            throw Violation("slots are served after a change at \(change), where there is none")
        }
        let fact = chronicle.records[index]
        let began = fact.generation == publisher.generation ? fact.step : step
        for node in 0..<settings.nodeCount {
            chronicle.release(
                node, from: index, .init(generation: publisher.generation, began: began))
        }
        for run in nodes.runs where !run.isDead {
            for shard in run.shards
            where !shard.memory.hasObeyed(fact) && leases.holdsLease(shard) {
                try leases.judgeFresh(chronicle.records[index], shard)
            }
        }
    }

    /// The publisher has done a turn, or started: it may know other nodes.
    func noteJoined() {
        guard publisher.memory.joined != publisher.core.joined else { return }
        publisher.memory.joined = publisher.core.joined
        for node in publisher.core.joined {
            chronicle.noteJoined(node, generation: publisher.generation, step: step)
        }
    }

    /// A publisher sends a record for the first time. It takes the slots of a node that is silent
    /// only if it hears most nodes, and only after a time.
    func judgeFailover(_ record: SealedRecord) throws(Violation) {
        guard settings.onlySilentNodesLoseSlots, let slots = record.record.slots,
            let table = publisher.core.slots.table
        else { return }
        let lastAt = max(publisher.upSince, publisher.memory.slotsToldAt)
        publisher.memory.slotsToldAt = now
        // It was decided before the disk had it, but after a pause, and after the change before.
        let decided = Span.microseconds(6 * settings.diskMicroseconds.upperBound)
        guard case .change(let change, _) = slots, now >= lastAt + decided else { return }
        let rows = change.rows.compactMap(\.member)
        guard !rows.isEmpty, rows.allSatisfy({ $0.state == .leaving }) else { return }
        count(.failovers, rows.count)
        let counted = Span.milliseconds(2 * settings.leaseMilliseconds)
        let leased = publisher.memory.grantedAt.values.filter { now < $0 + counted + decided }
        let sharing = table.members.values.filter { $0.state == .member }.count + rows.count
        try Violation.unless(
            leased.count * 2 > sharing,
            "\(record.position) takes slots of a silent node while \(leased.count) of \(sharing) "
                + "nodes have leases")
        for node in 0..<settings.nodeCount
        where rows.contains(where: { $0.node == SimulatedNodes.id(of: node) }) {
            let heard = publisher.memory.grantedAt[node] ?? publisher.memory.begunAt
            // A lease may have been granted since the decision.
            try Violation.unless(
                now < heard + decided
                    || now >= heard + .milliseconds(settings.leaseMilliseconds * 196 / 100),
                "\(record.position) takes the slots of node \(node) too soon after it was heard")
        }
    }

    /// The beginning of an epoch moves every slot.
    private func judgeEntered(_ epoch: Epoch) throws(Violation) {
        for run in nodes.runs where !run.isDead {
            for shard in run.shards where leases.holdsLease(shard) {
                try Violation.unless(
                    shard.memory.mark.position.epoch >= epoch || leases.mayBeForgotten(run),
                    "slots are served in epoch \(epoch), and \(shard.place) calls entries fresh at "
                        + "\(shard.memory.mark.position)")
            }
        }
    }
}
