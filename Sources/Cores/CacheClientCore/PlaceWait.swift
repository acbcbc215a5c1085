package import CacheModel
package import CacheWire

/// How long requests wait for a node without a known endpoint.
///
/// A restarted publisher names the nodes of the cluster before it knows their endpoints. A client
/// that knew the endpoints keeps them (``Topology/remembering(_:)``). A client that connects at
/// that moment knows none, so it waits until the nodes have had time to report them. A node that
/// stays without an endpoint for longer counts as away: requests to it fail at once.
package struct PlaceWait: Sendable {
    /// Since when each node has had no endpoint.
    private var missingSince: [NodeID: Instant] = [:]

    package init() {}

    /// The topology was replaced by this one.
    ///
    /// - Complexity: O(shards).
    package mutating func took(_ topology: Topology, at now: Instant) {
        var still: [NodeID: Instant] = [:]
        for shard in topology.shards where shard.endpoint.isEmpty {
            still[shard.node] = missingSince[shard.node] ?? now
        }
        missingSince = still
    }

    /// The end of the wait for `node`; `nil` if its endpoint is known or the wait is over.
    package func end(for node: NodeID, at now: Instant) -> Instant? {
        guard let end = missingSince[node]?.advanced(by: ClientLimits.placeWaitMax), now < end
        else { return nil }
        return end
    }
}
