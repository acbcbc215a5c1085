package import CacheModel

/// A shard's index in the list of all shards of one ``Topology``. Not valid in another.
package struct ShardNumber: Hashable, Sendable {
    package let rawValue: Int

    package init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// A node's index in the list of nodes of one ``Topology``. Not valid in another.
package struct NodeIndex: Hashable, Sendable {
    package let rawValue: Int

    package init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// A shard of a node, with its endpoint.
package struct ShardAddress: Hashable, Sendable {
    package let node: NodeID
    package let nodeIndex: NodeIndex
    /// The shard's index within its node.
    package let shard: UInt16
    /// Empty while unknown: the shard has not sent HELLO yet.
    package let endpoint: String
}
