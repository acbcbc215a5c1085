package import CacheModel

/// A shard's place in the list of all shards of one ``Topology``. It means nothing in another.
package struct SlotIndex: Hashable, Sendable {
    package let rawValue: Int

    package init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// A node's place in the list of nodes of one ``Topology``. It means nothing in another.
package struct NodeIndex: Hashable, Sendable {
    package let rawValue: Int

    package init(_ rawValue: Int) {
        self.rawValue = rawValue
    }
}

/// Which shard of which node, and where it listens.
package struct ShardAddress: Hashable, Sendable {
    package let node: NodeID
    package let nodeIndex: NodeIndex
    /// The shard's index within its node.
    package let shard: UInt16
    /// Empty while nobody knows it: the shard has not said hello yet.
    package let endpoint: String
}
