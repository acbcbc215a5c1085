package import CacheModel
package import CacheWire

/// For how long a node is waited for whose place nobody has told yet.
///
/// A publisher that has started anew says who is in the cluster before it has heard where they
/// are. Whoever knew their places goes on with those (``Topology/remembering(_:)``); whoever comes
/// just then has none, and waits for the moment that nodes need to say it. A node that stays away
/// for longer is known to be away: what is asked of it fails at once.
package struct PlaceWait: Sendable {
    /// Since when each node's place has been missing.
    private var missingSince: [NodeID: Instant] = [:]

    package init() {}

    /// This is the topology from now on.
    ///
    /// - Complexity: O(shards).
    package mutating func took(_ topology: Topology, at now: Instant) {
        var still: [NodeID: Instant] = [:]
        for shard in topology.shards where shard.endpoint.isEmpty {
            still[shard.node] = missingSince[shard.node] ?? now
        }
        missingSince = still
    }

    /// Until when it is waited for `node`; `nil` if there is nothing to wait for, or no longer.
    package func end(for node: NodeID, at now: Instant) -> Instant? {
        guard let end = missingSince[node]?.advanced(by: ClientLimits.placeWaitMax), now < end
        else { return nil }
        return end
    }
}
