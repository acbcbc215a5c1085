/// A position that was returned to a user and may be passed back later, with its cluster.
///
/// Positions of two clusters are not comparable: a log that begins anew counts from one again.
public struct ClusterPosition: Hashable, Sendable, CustomStringConvertible {
    public var position: LogPosition
    /// None if unknown.
    public var cluster: ClusterID

    public init(_ position: LogPosition, of cluster: ClusterID = .none) {
        self.position = position
        self.cluster = cluster
    }

    /// `EPOCH:SEQUENCE@CLUSTER`, without the last part if the cluster is unknown.
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
