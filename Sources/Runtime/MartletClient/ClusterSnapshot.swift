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
    /// Each of several publishers; `nil` if there is one, or none has told of the others.
    public var publishers: ClusterPublishers?

    public init(
        topology: ClusterTopology, publisher: Result<StatusSnapshot, CacheError>,
        nodes: [NodeID: Result<[StatusSnapshot], CacheError>],
        toldAt: [NodeID: ContinuousClock.Instant] = [:], publishers: ClusterPublishers? = nil
    ) {
        self.topology = topology
        self.publisher = publisher
        self.nodes = nodes
        self.toldAt = toldAt
        self.publishers = publishers
    }
}

/// The nodes and shards of a cluster, as the publisher or a shard reports them.
public struct ClusterTopology: Hashable, Sendable {
    /// Which node may hold a key.
    public enum Kind: String, Hashable, Sendable {
        /// One owner for each key.
        case sharded
        /// Every node may hold every key.
        case replicated
    }

    public struct Node: Hashable, Sendable {
        public var id: NodeID
        /// `nil`: the publisher has not heard from it.
        public var state: NodeState?
        /// Its share of the keys, relative to other nodes; the standard weight is 1.
        public var weight: Double
        /// One for each shard; an empty string while unknown.
        public var endpoints: [String]
    }

    public var version: UInt32
    public var kind: Kind
    /// The publisher's endpoint for requests; empty while unknown.
    public var controlEndpoint: String
    /// The publisher's endpoint for broadcasts; empty while unknown.
    public var liveEndpoint: String
    public var nodes: [Node]
    /// The id of the cluster, which outlives its log; none if its release has no cluster ids.
    public var cluster = ClusterID.none
}

/// The state of a publisher or a shard, and its figures.
public struct StatusSnapshot: Hashable, Sendable {
    public enum Role: String, Hashable, Sendable {
        case publisher
        case shard
    }

    /// The publisher's view of one node.
    public struct NodeLine: Hashable, Sendable {
        public var node: NodeID
        public var state: NodeState
        public var applied: LogPosition
        public var incarnation: Incarnation
        /// `nil` if it has none.
        public var grantLeft: Duration?
    }

    public var role: Role
    public var state: NodeState
    /// The name of the publisher or node.
    public var name: String
    /// The head of a publisher's log; the position that a shard has applied.
    public var position: LogPosition
    /// The digest of the log at that position.
    public var digest: LogDigest
    /// Figures by name; releases may add names. docs/operations.md explains them.
    public var figures: [String: UInt64]
    /// Only from a publisher.
    public var nodes: [NodeLine]
}

/// The cluster's configuration as the publisher serves it.
public struct ServedConfiguration: Hashable, Sendable {
    public var revision: UInt32
    /// YAML.
    public var text: String
}
