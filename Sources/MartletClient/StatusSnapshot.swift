public import CacheModel

/// Where a publisher or a shard stands, and its figures.
public struct StatusSnapshot: Hashable, Sendable {
    public enum Role: String, Hashable, Sendable {
        case publisher
        case shard
    }

    /// What the publisher knows of one node.
    public struct NodeLine: Hashable, Sendable {
        public var node: NodeID
        public var state: NodeState
        public var applied: LogPosition
        public var incarnation: Incarnation
        /// `nil`: it has none.
        public var grantLeft: Duration?
    }

    public var role: Role
    public var state: NodeState
    /// Its name.
    public var name: String
    /// The head of a publisher's log; what a shard has applied.
    public var position: LogPosition
    /// The log's digest there.
    public var digest: LogDigest
    /// Figures by name; an open list. docs/operations.md tells what they mean.
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
