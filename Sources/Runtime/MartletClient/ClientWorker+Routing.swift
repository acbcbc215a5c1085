import CacheClientCore
import CacheModel
import CacheWire
import ZeroMQ

extension ClientWorker {
    /// Accepts a request and routes its operations.
    func accept(_ request: DataRequest, at now: Instant) {
        request.isOpen = true
        guard !request.isCancelled else {
            request.settleRest(Self.cancelled(false))
            return
        }
        guard pendingCount + request.operations.count <= ClientLimits.operationsPendingMax else {
            request.settleRest(
                CacheError(.busy, "too many operations are open in this client; slow down"))
            return
        }
        pendingCount += request.operations.count
        for index in request.operations.indices {
            let reference = OperationReference(request: request, index: index)
            if request.notBefore > now {
                delay(.operation(reference), until: request.notBefore)
            } else {
                route(reference, at: now)
            }
        }
    }

    /// Queues one operation at its shard.
    func route(_ reference: OperationReference, at now: Instant) {
        guard !reference.isSettled else { return }
        guard let topology else {
            wait(reference, until: reference.request.deadline, at: now)
            return
        }
        guard !reference.request.atLeastCluster.contradicts(topology.cluster) else {
            settle(reference, .failed(.foreignPosition))
            return
        }
        guard !reference.request.isWrite || trust.isConfirmed else {
            settle(reference, .failed(.unconfirmed))
            return
        }
        let slot: SlotIndex
        do {
            slot = try self.slot(for: reference, in: topology)
        } catch {
            settle(reference, .failed(error))
            return
        }
        if let end = placeWait.end(for: topology[slot].node, at: now) {
            wait(reference, until: min(end, reference.request.deadline), at: now)
            return
        }
        reference.request.goes(because: nil, reference.index)
        do {
            try connection(for: slot, in: topology).queue(reference)
        } catch {
            hunt.wanted(at: now)
            if let other = substitute(for: reference, in: topology) {
                reference.request.goes(because: error, reference.index)
                other.queue(reference)
            } else {
                settle(reference, .failed(error))
            }
        }
    }

    /// Keeps an operation until a topology shows where it belongs.
    private func wait(_ reference: OperationReference, until end: Instant, at now: Instant) {
        unrouted.append(reference)
        nextDue = min(nextDue, end)
        hunt.wanted(at: now)
    }

    private func slot(
        for reference: OperationReference, in topology: Topology
    ) throws(CacheError) -> SlotIndex {
        let route = reference.operation.route
        let slot: SlotIndex?
        switch reference.request.placement {
        case .node(let id):
            guard let node = topology.index(of: id) else {
                let names = topology.nodes.map(\.id.name).joined(separator: ", ")
                throw CacheError(
                    .invalidArgument, "the cluster has no node \(id); it has \(names)")
            }
            if reference.envelope.bringsTokens { try check(route, isHeldBy: node, in: topology) }
            slot = topology.shard(of: route, on: node)
        case .routed where topology.kind == .sharded, .near where topology.kind == .sharded:
            slot = topology.owner(of: route)
        case .near(let id):
            slot = topology.index(of: id).flatMap { topology.shard(of: route, on: $0) }
        case .routed:
            let avoided = reference.request.progress[reference.index].avoided
            slot = nearNode(in: topology, avoiding: avoided).flatMap {
                topology.shard(of: route, on: $0)
            }
        }
        guard let slot else {
            throw CacheError(
                .disconnected, "no node of the cluster has a shard that could hold the key")
        }
        return slot
    }

    /// A token is invalid once its key has moved, and its old node would answer BUSY for ever.
    private func check(
        _ route: RouteHash, isHeldBy node: NodeIndex, in topology: Topology
    ) throws(CacheError) {
        guard topology.kind == .sharded, let owner = topology.owner(of: route),
            topology[owner].nodeIndex != node
        else { return }
        throw CacheError(
            .refused, "the key has moved to another node since its token was given",
            refusal: .tokenTooOld)
    }

    /// The replica to ask, among the reachable ones: the preferred one, or else the nearest.
    func nearNode(in topology: Topology, avoiding avoided: NodeIndex?) -> NodeIndex? {
        if let near = loop.configuration.near.flatMap(topology.index(of:)), near != avoided,
            mayAnswer(near, in: topology)
        {
            return near
        }
        // The avoided node is better than one without a known endpoint.
        return roundTrips.choose { $0 != avoided && mayAnswer($0, in: topology) }
            ?? roundTrips.choose { mayAnswer($0, in: topology) }
            ?? roundTrips.choose { !topology.nodes[$0.rawValue].slots.isEmpty }
    }

    func mayAnswer(_ node: NodeIndex, in topology: Topology) -> Bool {
        let slots = topology.nodes[node.rawValue].slots
        guard !slots.isEmpty else { return false }
        return slots.allSatisfy { slot in
            guard !topology.shards[slot].endpoint.isEmpty else { return false }
            guard let connection = shardConnections[slot] else { return true }
            return connection.isAnswering()
        }
    }

    /// The connection to a shard, opened if this is its first use.
    ///
    /// - Throws: why no message can go there now.
    func connection(
        for slot: SlotIndex, in topology: Topology
    ) throws(CacheError) -> ShardConnection {
        if let known = shardConnections[slot.rawValue], known.isAnswering() { return known }
        let address = topology[slot]
        let connection = try connection(to: address.endpoint, "node \(address.node)")
        belongs(connection, to: address, in: topology)
        shardConnections[slot.rawValue] = connection
        return connection
    }

    /// Assigns a connection to a shard.
    func belongs(_ connection: ShardConnection, to address: ShardAddress, in topology: Topology) {
        connection.node = address.nodeIndex
        connection.nodeID = address.node
        if connection.watch.takesRequests {
            connection.watch.isSaid(topology.nodes[address.nodeIndex.rawValue].state)
        }
        watchSilence(of: connection)
    }

    /// The connection to an endpoint, opened if there is none.
    ///
    /// - Parameters:
    ///   - peerName: a name of the endpoint for the error message.
    ///   - most: the limit of connections.
    /// - Throws: why no message can go there now: it is down, its endpoint is invalid, there are
    ///   too many connections, or the system provides no socket. That fails one request, never the
    ///   client.
    func connection(
        to endpoint: String, _ peerName: @autoclosure () -> String,
        most: Int = ClientLimits.connectionsMax
    ) throws(CacheError) -> ShardConnection {
        if let known = byEndpoint[endpoint] {
            guard known.isUsable() else { throw .unreachable(peerName()) }
            guard known.watch.standing != .suspect else { throw .unanswering(peerName()) }
            return known
        }
        guard connections.count < most else { throw .unreachable(peerName()) }
        let parsed: Endpoint
        do {
            parsed = try Endpoint(endpoint, for: .connecting)
        } catch {
            // A node announced an endpoint that cannot be used: the shard counts as unreachable.
            throw .unreachable(peerName())
        }
        let connection: ShardConnection
        do {
            connection = try ShardConnection(loop.context, parsed)
        } catch {
            throw CacheError(
                .disconnected,
                "no socket can be opened to \(peerName()), and nothing was sent: \(error)")
        }
        byEndpoint[endpoint] = connection
        connections.append(connection)
        isPollerCurrent = false
        return connection
    }
}
