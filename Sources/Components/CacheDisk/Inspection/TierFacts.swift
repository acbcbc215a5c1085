/// Results of the inspection of a tier's file.
package struct TierFacts: Sendable {
    package let plan: InspectionPlan
    /// In file order.
    package internal(set) var checkpoints: [CheckpointFacts] = []
    package internal(set) var tail: TailFacts
    /// The log's segments, the oldest first.
    package internal(set) var segments: [SegmentFacts] = []
    /// Places that were released to the file system.
    package internal(set) var withdrawnCount = 0
    /// A node's view of the log; `nil` until known.
    package internal(set) var log: LogFinding?

    /// The content of the log, according to the code that a node starts with.
    package enum LogFinding: Equatable, Sendable {
        /// - Parameter damageCount: damaged places that no footer describes. Everything before the
        ///   last of them is lost.
        case recovered(entryCount: Int, damageCount: Int)
        case unusable(UnusableCause)
    }

    package var superblock: Superblock { plan.superblock }

    /// Empty places of the ring.
    package var freeCount: Int {
        superblock.geometry.segmentCount - segments.count - withdrawnCount
    }

    /// What a node does with the file at start.
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

    /// The sum over all segments.
    package var total: SegmentTally {
        segments.reduce(into: SegmentTally()) { $0.add($1.tally) }
    }

    /// Pieces of the file, of any size, that differ from what was written.
    package var damageCount: Int {
        let isClosed = superblock.closed != nil
        return tail.damagedCopies + tail.damagedSlots
            + checkpoints.count { $0 == .damaged }
            + segments.reduce(0) { $0 + $1.damageCount(isClosed: isClosed) }
    }
}
