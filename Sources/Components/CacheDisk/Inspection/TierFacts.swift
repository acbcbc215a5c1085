/// What an inspection has found in a tier's file.
package struct TierFacts: Sendable {
    package let plan: InspectionPlan
    /// In the order in which they lie.
    package internal(set) var checkpoints: [CheckpointFacts] = []
    package internal(set) var tail: TailFacts
    /// The log's, the oldest first.
    package internal(set) var segments: [SegmentFacts] = []
    /// Places that gave their room back to the file system.
    package internal(set) var withdrawnCount = 0
    /// What a node makes of the log; `nil` until that is known.
    package internal(set) var log: LogFinding?

    /// What the log holds, by the code that a node starts with.
    package enum LogFinding: Equatable, Sendable {
        /// - Parameter damageCount: places that proved nothing where no footer tells of them.
        ///   What lay before the last of them is gone.
        case recovered(entryCount: Int, damageCount: Int)
        case unusable(UnusableCause)
    }

    package var superblock: Superblock { plan.superblock }

    /// Places of the ring that hold nothing.
    package var freeCount: Int {
        superblock.geometry.segmentCount - segments.count - withdrawnCount
    }

    /// What a node does with it at its start.
    package enum Verdict: Equatable, Sendable {
        case recovers(entryCount: Int)
        case discards(AnewCause)
    }

    package var verdict: Verdict? {
        if let cause = plan.cause { return .discards(cause) }
        return switch log {
        case .recovered(let count, _): .recovers(entryCount: count)
        case .unusable(let cause): .discards(.unusable(cause))
        case nil: nil
        }
    }

    /// All segments together.
    package var total: SegmentTally {
        segments.reduce(into: SegmentTally()) { $0.add($1.tally) }
    }

    /// Pieces of the file, of whatever size, that are not what was written.
    package var damageCount: Int {
        let isClosed = superblock.closed != nil
        return tail.damagedCopies + tail.damagedSlots
            + checkpoints.count { $0 == .damaged }
            + segments.reduce(0) { $0 + $1.damageCount(isClosed: isClosed) }
    }
}
