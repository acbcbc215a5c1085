public import CacheModel

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
