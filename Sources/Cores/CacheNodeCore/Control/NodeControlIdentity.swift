package import CacheModel

/// A node's identity in its HELLO to the publisher.
package struct NodeControlIdentity: Hashable, Sendable {
    package let node: NodeID
    package let incarnation: Incarnation
    /// The client endpoints of the shards: one for each, 1 to 64.
    package let endpoints: [String]

    package init(node: NodeID, incarnation: Incarnation, endpoints: [String]) {
        precondition(!endpoints.isEmpty, "a node has at least one shard")
        precondition(incarnation != .none, "every run of a node has an incarnation")
        self.node = node
        self.incarnation = incarnation
        self.endpoints = endpoints
    }
}
