import CacheModel

/// Every record that any run of the publisher appended.
final class Chronicle {
    private(set) var records: [RecordFact] = []
    private var indexes: [LogDigest: Int] = [:]
    private var newest: [LogPosition: Int] = [:]
    private var ofOperations: [OperationID: [Int]] = [:]
    /// The last epoch in which a publisher without its log continued, and the step of the world.
    private var continued: (epoch: Epoch, step: Int)?
    /// The step at which each epoch of each log began, and the publisher that began it.
    private var beginnings: [Beginning: (step: Int, generation: Int)] = [:]

    /// The publishers that started on a damaged disk.
    private var damagedStarts: [Int] = []
    /// By node that joined: since which step each publisher has known it.
    private var joins: [NodeID: [Int: Int]] = [:]

    private struct Beginning: Hashable {
        let log: LogID
        let epoch: Epoch
    }

    /// A publisher has a position in an epoch of a log.
    func noteEpoch(_ epoch: Epoch, of log: LogID, step: Int, generation: Int) {
        let beginning = Beginning(log: log, epoch: epoch)
        if beginnings[beginning] == nil { beginnings[beginning] = (step, generation) }
    }

    /// A publisher has started on a damaged disk.
    func noteDamagedStart(_ generation: Int) { damagedStarts.append(generation) }

    /// A publisher knows a node that joined.
    func noteJoined(_ node: NodeID, generation: Int, step: Int) {
        if joins[node]?[generation] == nil { joins[node, default: [:]][generation] = step }
    }

    /// Whether the log was damaged, and no publisher has known the node since, up to that step.
    func hasLost(_ node: NodeID, before release: RecordFact.Release) -> Bool {
        let lost = damagedStarts.last { $0 <= release.generation }
        guard let lost else { return false }
        let known = joins[node] ?? [:]
        return !known.contains {
            (lost...release.generation).contains($0.key) && $0.value <= release.began
        }
    }

    /// A record was sent for the first time, or for the first time since it was lost: its writer
    /// retried, and a restarted publisher gave it the same position. Then it is the same record for
    /// shards that have applied it, and the other shards must apply it again.
    ///
    /// - Returns: `false` if the record is known and was not lost.
    func append(_ fact: RecordFact) -> Bool {
        if let known = indexes[fact.sealed.digest] {
            guard records[known].isLost else { return false }
            records[known].revive(as: fact)
            newest[fact.position] = known
            return true
        }
        let index = records.count
        records.append(fact)
        indexes[fact.sealed.digest] = index
        newest[fact.position] = index
        if fact.sealed.record.operation != .none {
            ofOperations[fact.sealed.record.operation, default: []].append(index)
        }
        return true
    }

    /// The record was lost before its publisher reported it.
    func lose(_ digest: LogDigest) {
        if let index = indexes[digest] { records[index].isLost = true }
    }

    func record(of digest: LogDigest) -> RecordFact? { indexes[digest].map { records[$0] } }

    var hasLostAny: Bool { records.contains(where: \.isLost) }

    func knows(_ digest: LogDigest) -> Bool { indexes[digest] != nil }

    /// Whether the record of that digest was lost with a publisher.
    func hasLost(_ digest: LogDigest) -> Bool {
        indexes[digest].map { records[$0].isLost } ?? false
    }

    /// Whether a shard is at a position from which no publisher continues: at a lost record, or at
    /// the beginning of an epoch that was lost with its publisher.
    func hasLost(placeOf memory: ShardMemory) -> Bool {
        if hasLost(memory.mark.digest) { return true }
        guard let continued, memory.mark.position == memory.forgetPosition else { return false }
        return memory.mark.position.epoch > continued.epoch && memory.forgetStep < continued.step
    }

    /// The record that the present publisher has at a position.
    func index(at position: LogPosition) -> Int? { newest[position] }

    /// The records of an operation; more than one if a publisher forgot that it was done.
    func records(of operation: OperationID) -> [RecordFact] {
        (ofOperations[operation] ?? []).map { records[$0] }
    }

    /// A receipt listed that a node has applied a record, or can no longer serve fresh values.
    func release(_ node: Int, from index: Int, _ release: RecordFact.Release) {
        records[index].release(node, release)
    }

    /// A publisher without its log continues from `head`: records that are not before it are lost.
    ///
    /// - Returns: the positions of the records that this lost.
    func keepOnly(before head: LogMark, of log: LogID, step: Int) -> [LogPosition] {
        continued = (head.position.epoch, step)
        let beginning = beginnings[Beginning(log: log, epoch: head.position.epoch)]
        var kept: Set<Int> = []
        var digest = head.digest
        while let index = indexes[digest], kept.insert(index).inserted {
            digest = records[index].sealed.record.previousDigest
        }
        var lost: [LogPosition] = []
        for index in records.indices where !records[index].isLost && !kept.contains(index) {
            // A node that has heard of an epoch has applied all records from before its beginning.
            // A publisher that did not know the epoch may have appended to an earlier one
            // meanwhile. The publisher that began the epoch appended nothing to an earlier one
            // after that, even if the records were reported later.
            guard
                records[index].position.epoch >= head.position.epoch
                    || records[index].appendedStep > beginning?.step ?? step
                        && records[index].generation != beginning?.generation
            else { continue }
            records[index].isLost = true
            lost.append(records[index].position)
        }
        return lost
    }
}

extension Chronicle {
    /// The step of the last record that was appended by a moment.
    func lastStep(by time: WorldTime) -> Int {
        records.last { $0.time <= time }?.step ?? 0
    }

    /// The records that came after a step of the world and cover a value.
    func records(after step: Int, covering fill: Fill) -> [RecordFact] {
        var found: [RecordFact] = []
        for record in records.reversed() {
            guard record.step > step else { break }
            if record.covers(fill) { found.append(record) }
        }
        return found
    }
}
