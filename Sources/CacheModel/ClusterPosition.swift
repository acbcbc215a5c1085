/// A position that a user was told and hands back later, and its cluster.
///
/// Numbers of two clusters say nothing of each other: a log that begins anew counts from one again.
public struct ClusterPosition: Hashable, Sendable, CustomStringConvertible {
    public var position: LogPosition
    /// None where that was not told.
    public var cluster: ClusterID

    public init(_ position: LogPosition, of cluster: ClusterID = .none) {
        self.position = position
        self.cluster = cluster
    }

    /// `EPOCH:SEQUENCE@CLUSTER`, without the last part where the cluster is not known.
    public var description: String {
        cluster == .none ? "\(position)" : "\(position)@\(cluster)"
    }

    /// Reads `EPOCH:SEQUENCE` or `EPOCH:SEQUENCE@CLUSTER`.
    ///
    /// - Returns: `nil` for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(
            separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let position = LogPosition(first) else { return nil }
        self.init(position)
        guard parts.count == 2 else { return }
        guard let cluster = ClusterID(text: parts[1]) else { return nil }
        self.cluster = cluster
    }
}
