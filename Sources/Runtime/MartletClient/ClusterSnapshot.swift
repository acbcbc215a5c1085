public import CacheModel

/// The publisher and every node of a cluster at about one moment.
public struct ClusterSnapshot: Sendable {
    /// The nodes and shards of the cluster; the other properties refer to it.
    public var topology: ClusterTopology
    /// The status of the publisher, or the error of asking for it.
    public var publisher: Result<StatusSnapshot, CacheError>
    /// The status of each node's shards, or the error of asking for it.
    public var nodes: [NodeID: Result<[StatusSnapshot], CacheError>]
    /// When each node's answer came, or the wait for it ended.
    public var toldAt: [NodeID: ContinuousClock.Instant]

    public init(
        topology: ClusterTopology, publisher: Result<StatusSnapshot, CacheError>,
        nodes: [NodeID: Result<[StatusSnapshot], CacheError>],
        toldAt: [NodeID: ContinuousClock.Instant] = [:]
    ) {
        self.topology = topology
        self.publisher = publisher
        self.nodes = nodes
        self.toldAt = toldAt
    }
}
