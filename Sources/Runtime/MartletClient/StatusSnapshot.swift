public import CacheModel

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
