package import CacheModel

/// The nodes of a cluster and their endpoints, as the cluster reported them.
package struct TopologySighting: Hashable, Sendable {
    package struct Node: Hashable, Sendable {
        package var id: NodeID
        /// One for each shard; an empty string while unknown.
        package var endpoints: [String]

        package init(_ id: NodeID, endpoints: [String] = []) {
            self.id = id
            self.endpoints = endpoints
        }
    }

    /// `sharded`, `replicated`.
    package var kind: String
    package var version: UInt32
    package var publisher: String
    package var nodes: [Node]

    package init(kind: String, version: UInt32, publisher: String, nodes: [Node]) {
        self.kind = kind
        self.version = version
        self.publisher = publisher
        self.nodes = nodes
    }
}
