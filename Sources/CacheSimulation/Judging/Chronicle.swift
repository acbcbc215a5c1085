import CacheModel

/// Every record that was ever appended, by whichever run of the publisher.
struct Chronicle {
    private(set) var records: [RecordFact] = []
    private var indexes: [LogDigest: Int] = [:]
    private var newest: [LogPosition: Int] = [:]
    private var ofOperations: [OperationID: [Int]] = [:]
    /// In which epoch a publisher without its log went on last, and at which step of the world.
    private var continued: (epoch: Epoch, step: Int)?
    /// At which step each epoch of each log began, and which publisher began it.
    private var beginnings: [Beginning: (step: Int, generation: Int)] = [:]

    private struct Beginning: Hashable {
        let log: LogID
        let epoch: Epoch
    }

    /// A publisher stands in an epoch of a log.
    mutating func noteEpoch(_ epoch: Epoch, of log: LogID, step: Int, generation: Int) {
        let beginning = Beginning(log: log, epoch: epoch)
        if beginnings[beginning] == nil { beginnings[beginning] = (step, generation) }
    }

    /// A record was sent for the first time; or for the first time since it was lost, where its
    /// writer asked again and a restarted publisher put it in the same place. Then it is the same
    /// record for whoever obeyed it, and is owed anew by the others.
    ///
    /// - Returns: `false` if it is known already and was not lost.
    mutating func append(_ fact: RecordFact) -> Bool {
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

    func record(of digest: LogDigest) -> RecordFact? { indexes[digest].map { records[$0] } }

    var hasLostAny: Bool { records.contains(where: \.isLost) }

    func knows(_ digest: LogDigest) -> Bool { indexes[digest] != nil }

    /// Whether the record of that digest was lost with a publisher.
    func hasLost(_ digest: LogDigest) -> Bool {
        indexes[digest].map { records[$0].isLost } ?? false
    }

    /// Whether a shard stands where nobody goes on from: at a record that was lost, or at the
    /// beginning of an epoch that its publisher opened, and took with it.
    func hasLost(placeOf memory: ShardMemory) -> Bool {
        if hasLost(memory.mark.digest) { return true }
        guard let continued, memory.mark.position == memory.forgetPosition else { return false }
        return memory.mark.position.epoch > continued.epoch && memory.forgetStep < continued.step
    }

    /// The record that the present publisher means by a position.
    func index(at position: LogPosition) -> Int? { newest[position] }

    /// The records of an operation: more than one where a publisher forgot that it was done.
    func records(of operation: OperationID) -> [RecordFact] {
        (ofOperations[operation] ?? []).map { records[$0] }
    }

    /// A receipt said that a node has obeyed a record, or can show nothing as fresh any more.
    mutating func release(_ node: Int, from index: Int, _ release: RecordFact.Release) {
        records[index].release(node, release)
    }

    /// A publisher without its log goes on from `head`: what does not lie behind it is lost.
    ///
    /// - Returns: those that were lost by that.
    mutating func keepOnly(before head: LogMark, of log: LogID, step: Int) -> [LogPosition] {
        continued = (head.position.epoch, step)
        let beginning = beginnings[Beginning(log: log, epoch: head.position.epoch)]
        var kept: Set<Int> = []
        var digest = head.digest
        while let index = indexes[digest], kept.insert(index).inserted {
            digest = records[index].sealed.record.previousDigest
        }
        var lost: [LogPosition] = []
        for index in records.indices where !records[index].isLost && !kept.contains(index) {
            // Who heard of an epoch has obeyed all that came before it began. A publisher that
            // knew nothing of it may have begun an earlier one meanwhile. The one that began it
            // appended nothing else to an earlier one after that, whenever that was told.
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
