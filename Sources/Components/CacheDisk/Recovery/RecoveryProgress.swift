/// Progress of a tier's recovery.
package struct RecoveryProgress: Equatable, Sendable {
    /// Segments in the log according to the tail; 0 before that is read.
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
    /// `nil` once it is open, or has given up.
    package var recoveryProgress: RecoveryProgress? {
        guard state == .recovering, let recovery else { return nil }
        let (oldest, newest) = (recovery.tailState.oldest, recovery.tailState.newest)
        let count = newest < oldest ? 0 : Int(newest.rawValue - oldest.rawValue) + 1
        return RecoveryProgress(
            segmentCount: min(count, space.ring.count), segmentsRead: recovery.segmentCount,
            entryCount: index.count)
    }
}
