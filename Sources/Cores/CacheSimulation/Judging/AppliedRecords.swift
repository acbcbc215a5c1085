import CacheModel

/// The records that a shard has applied, by the messages it received.
struct AppliedRecords {
    /// The step of the world at which each record was applied.
    private(set) var steps: [LogDigest: Int] = [:]
    /// The step at which earlier runs of the node applied each record.
    private var inheritedSteps: [LogDigest: Int] = [:]
    /// Positions where it continued without all records before them, and since when.
    private var steppedTo: [(step: Int, position: LogPosition)] = []
    private var inheritedSteppedTo: [(step: Int, position: LogPosition)] = []
    /// When the shard continued at the position of its disk tier, and that position.
    private var resumed = (step: 0, position: LogPosition.none)

    mutating func append(_ record: SealedRecord, step: Int) { steps[record.digest] = step }

    mutating func stepTo(_ position: LogPosition, step: Int) {
        steppedTo.append((step, position))
    }

    /// All records up to a position were applied by an earlier run.
    mutating func resume(at position: LogPosition, step: Int) {
        resumed = (step, position)
        stepTo(position, step: step)
    }

    mutating func inherit(_ old: Self) {
        inheritedSteps = old.inheritedSteps.merging(old.steps) { first, _ in first }
        inheritedSteppedTo = old.inheritedSteppedTo + old.steppedTo
    }

    /// The step at which a record was first applied; `nil` if it was not.
    ///
    /// - Parameter isInherited: whether an earlier run may have applied it.
    func step(of digest: LogDigest, isInherited: Bool) -> Int? {
        isInherited ? inheritedSteps[digest] ?? steps[digest] : steps[digest]
    }

    /// Whether it was applied by this run, or by the run that wrote the disk.
    func includes(_ record: RecordFact) -> Bool {
        steps[record.sealed.digest] != nil
            || record.step < resumed.step && record.position <= resumed.position
    }

    /// Whether an earlier run was beyond a record by a step, without having received it.
    func hadSteppedOver(_ record: RecordFact, before step: Int) -> Bool {
        inheritedSteppedTo.contains {
            $0.step < step && record.step < $0.step && record.position <= $0.position
        }
    }
}
