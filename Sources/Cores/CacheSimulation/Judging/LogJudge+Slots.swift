import CacheInvalidation
import CacheModel
import CacheWire

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
