/// How far a tier has come with what an earlier process left.
package struct RecoveryProgress: Equatable, Sendable {
    /// Of those that lie there, as far as the tail tells; none before it has been read.
    package var segmentCount: Int
    package var segmentsRead: Int
    package var entryCount: Int

    package init(segmentCount: Int, segmentsRead: Int, entryCount: Int) {
        self.segmentCount = segmentCount
        self.segmentsRead = segmentsRead
        self.entryCount = entryCount
    }
}

extension DiskTier {
    /// `nil` once it is open, or given up.
    package var recoveryProgress: RecoveryProgress? {
        guard state == .recovering, let recovery else { return nil }
        let (oldest, newest) = (recovery.tailState.oldest, recovery.tailState.newest)
        let count = newest < oldest ? 0 : Int(newest.rawValue - oldest.rawValue) + 1
        return RecoveryProgress(
            segmentCount: min(count, space.ring.count), segmentsRead: recovery.segmentCount,
            entryCount: index.count)
    }
}
