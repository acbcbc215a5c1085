public import CacheModel

/// Who is where, as the publisher or a shard tells it.
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
        /// `nil`: the publisher has not heard of it.
        public var state: NodeState?
        /// Its share of the keys, relative to the others'; 1 is ordinary.
        public var weight: Double
        /// One for each shard; empty text while unknown.
        public var endpoints: [String]
    }

    public var version: UInt32
    public var kind: Kind
    /// Where the publisher takes questions; empty while unknown.
    public var controlEndpoint: String
    /// Where the publisher broadcasts; empty while unknown.
    public var liveEndpoint: String
    public var nodes: [Node]
    /// Which cluster it is, whatever becomes of its log; none where its release does not tell.
    public var cluster = ClusterID.none
}
