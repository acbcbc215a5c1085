package import CacheModel

/// Where a log begins after its files were judged. The log on disk and the simulated one share
/// this.
extension MemoryLog {
    /// Continues the log that was found, or begins a new epoch.
    ///
    /// The new epoch is of a log with the id that this value was made with: a log that was set back
    /// may open an epoch that was used before, and nodes know that one under another log's id. If
    /// no earlier epoch is known, the log has no place, and the nodes are asked.
    ///
    /// - Parameter clustersEpoch: the last epoch of this cluster's log, as far as it is known. No
    ///   other log of the cluster begins in an epoch that it has had.
    /// - Returns: whether it begins an epoch that is not on the disk yet.
    package mutating func stand(
        on verdict: LogRecovery.Verdict, isNewEpochWanted: Bool = false,
        clustersEpoch: Epoch = .none
    ) -> Bool {
        switch verdict {
        case .whole(let whole) where !isNewEpochWanted:
            continueHistory(of: whole.log, from: whole.head)
            return false
        case .whole(let whole):
            return begin(after: max(whole.head.position.epoch, clustersEpoch))
        case .broken(_, let greatest) where greatest != .none:
            return begin(after: max(greatest, clustersEpoch))
        case .broken, .empty: return false
        }
    }

    private mutating func begin(after greatest: Epoch) -> Bool {
        guard greatest.rawValue < .max else { return false }
        let epoch = greatest.next
        let start = LogMark(
            position: LogPosition(epoch: epoch, sequence: .none), digest: LogDigest(startOf: id))
        continueHistory(of: id, from: start)
        return true
    }
}
