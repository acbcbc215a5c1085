package import CacheModel
package import CacheWire

/// Which shard an operation goes to: by the topology, by what the caller asks for, and by how near
/// the nodes are. Which nodes answer is an argument, as the connections know it.
package struct NodeRouting: Sendable {
    /// Where the caller wants an operation done.
    package enum Placement: Hashable, Sendable {
        /// The owner; in a replicated topology a near node.
        case routed
        /// The owner; in a replicated topology this near node, which has the earlier chunks.
        case near(NodeID)
        case node(NodeID)
    }

    /// Why an operation goes nowhere.
    package enum Refusal: Error, Hashable, Sendable {
        case unknownNode(NodeID, known: [NodeID])
        /// A token is invalid once its key has moved, and its old node would answer BUSY for ever.
        case keyHasMoved
        case noShard
    }

    package private(set) var topology: Topology?
    private let preferred: NodeID?
    private var roundTrips = RoundTrips(nodeCount: 0)
    private var placeWait = PlaceWait()
    /// The replica that the plain gets of this turn go to.
    private var nearForTurn: NodeIndex?

    /// - Parameter preferred: the replica to ask while it answers; `nil` asks the nearest one.
    package init(preferred: NodeID? = nil) { self.preferred = preferred }

    /// The topology was replaced. Round trips stay while the nodes are the same.
    ///
    /// - Complexity: O(shards).
    package mutating func took(_ fresh: Topology, at now: Instant) {
        let sameNodes = topology?.nodes.map(\.id) == fresh.nodes.map(\.id)
        if !sameNodes { roundTrips = RoundTrips(nodeCount: fresh.nodes.count) }
        topology = fresh
        placeWait.took(fresh, at: now)
    }

    package mutating func measured(_ node: NodeIndex, _ duration: Duration) {
        roundTrips.measured(node, duration)
    }

    /// Until when to wait for the endpoint of a shard; `nil` if it is known or the wait is over.
    package func waitEnd(for number: ShardNumber, at now: Instant) -> Instant? {
        topology.flatMap { placeWait.end(for: $0[number].node, at: now) }
    }

    /// The shard for an operation on a key.
    ///
    /// - Parameters:
    ///   - avoided: the replica that did not answer the last attempt.
    ///   - bringsToken: whether it is valid only at the node that holds the key.
    /// - Throws: why there is none.
    package mutating func shard(
        for route: RouteHash, _ placement: Placement, avoiding avoided: NodeIndex?,
        bringsToken: Bool, where mayAnswer: (NodeIndex) -> Bool
    ) throws(Refusal) -> ShardNumber {
        guard let topology else { throw .noShard }
        let number: ShardNumber?
        switch placement {
        case .node(let id):
            guard let node = topology.index(of: id) else {
                throw .unknownNode(id, known: topology.nodes.map(\.id))
            }
            if bringsToken, topology.kind == .sharded, let owner = topology.owner(of: route),
                topology[owner].nodeIndex != node
            {
                throw .keyHasMoved
            }
            number = topology.shard(of: route, on: node)
        case .routed where topology.kind == .sharded, .near where topology.kind == .sharded:
            number = topology.shardToAsk(for: route)
        case .near(let id):
            number = topology.index(of: id).flatMap { topology.shard(of: route, on: $0) }
        case .routed:
            number = nearNode(avoiding: avoided, where: mayAnswer).flatMap {
                topology.shard(of: route, on: $0)
            }
        }
        guard let number else { throw .noShard }
        return number
    }

    /// The replica to ask, among those that answer: the preferred one, or else the nearest.
    package mutating func nearNode(
        avoiding avoided: NodeIndex?, where mayAnswer: (NodeIndex) -> Bool
    ) -> NodeIndex? {
        guard let topology else { return nil }
        if let near = preferred.flatMap(topology.index(of:)), near != avoided, mayAnswer(near) {
            return near
        }
        // The avoided node is better than one without a known endpoint.
        return roundTrips.choose { $0 != avoided && mayAnswer($0) }
            ?? roundTrips.choose { mayAnswer($0) }
            ?? roundTrips.choose { !topology.nodes[$0.rawValue].shardNumbers.isEmpty }
    }

    // MARK: Plain gets

    /// The shard for a plain get: in a replicated topology, all of a turn go to the same replica.
    ///
    /// - Returns: `nil` without a topology or without a shard.
    package mutating func shardOfPlainGet(
        for route: RouteHash, where mayAnswer: (NodeIndex) -> Bool
    ) -> ShardNumber? {
        guard let topology else { return nil }
        if topology.kind == .sharded { return topology.shardToAsk(for: route) }
        if nearForTurn == nil { nearForTurn = nearNode(avoiding: nil, where: mayAnswer) }
        return nearForTurn.flatMap { topology.shard(of: route, on: $0) }
    }

    /// The turn is over, or the replica fell silent: the next plain get chooses anew.
    package mutating func forgetNearNode() { nearForTurn = nil }
}

extension Topology {
    /// The shard to ask for a key of a sharded cluster: its owner, or, while its slot has none, the
    /// one that the rule without slots names. That one answers BUSY, and the request is repeated
    /// until the slot has an owner.
    ///
    /// - Returns: `nil` if there is no shard.
    /// - Complexity: O(shards).
    package func shardToAsk(for route: RouteHash) -> ShardNumber? {
        owner(of: route) ?? owner(of: route) { _ in true }
    }
}
