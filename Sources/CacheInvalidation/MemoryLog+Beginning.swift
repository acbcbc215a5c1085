package import CacheModel

/// Where a log begins whose files were judged. The log on disk and the simulated one both ask here.
extension MemoryLog {
    /// Stands where the log may go on, or at the beginning of a new epoch.
    ///
    /// The new epoch is of a log with the name that this value was made with: a log that was set
    /// back may open a number that was used before, and what nodes know of that is another log's.
    /// Without any epoch to be greater than it stands nowhere, and the nodes are asked.
    ///
    /// - Parameter clustersEpoch: in which the log of this cluster went on last, as far as that is
    ///   known. No other log of it begins in an epoch that it has had.
    /// - Returns: whether it begins a life that is not on the disk yet.
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
