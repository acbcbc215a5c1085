import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import ZeroMQ

extension ClientWorker {
    /// Accepts a question and queues it at its endpoint.
    func accept(_ request: AdminRequest, at now: Instant) {
        request.isOpen = true
        guard !request.isCancelled else {
            request.settle(.failure(Self.cancelled(false)))
            return
        }
        route(request, at: now)
    }

    func route(_ request: AdminRequest, at now: Instant) {
        guard !request.isSettled else { return }
        let endpoint: String
        switch request.target {
        case .topology:
            wait(request, at: now)
            return
        case .publisher:
            guard let topology else {
                wait(request, at: now)
                return
            }
            endpoint = topology.controlEndpoint
        case .endpoint(let text): endpoint = text
        }
        guard !request.mayHaveHappened || topology == nil || trust.isConfirmed else {
            request.settle(.failure(.unconfirmed))
            return
        }
        do {
            try connection(to: endpoint, peerName(request)).questions.append(request)
        } catch {
            hunt.wanted(at: now)
            request.settle(.failure(error))
        }
    }

    private func wait(_ request: AdminRequest, at now: Instant) {
        unroutedQuestions.append(request)
        nextDue = min(nextDue, request.deadline)
        hunt.wanted(at: now)
    }

    func peerName(_ request: AdminRequest) -> String {
        switch request.target {
        case .publisher: "the publisher"
        case .endpoint(let endpoint): "the shard at \(endpoint)"
        case .topology: "every known endpoint (\(hunt.candidates.joined(separator: ", ")))"
        }
    }

    /// Performs an action of the topology hunt.
    func ask(_ action: TopologyHunt.Action, at now: Instant) {
        switch action {
        case .wait: return
        case .ask(let endpoint): ask(endpoint, at: now)
        case .takeOffer:
            guard let offer else { return }
            take(offer.topology, from: offer.connection, at: now)
        }
    }

    private func ask(_ endpoint: String, at now: Instant) {
        do {
            let most = ClientLimits.connectionsMax + hunt.candidates.count
            try connection(to: endpoint, endpoint, most: most).isAskedForTopology = true
        } catch {
            // The next endpoint is asked, in its time.
            hunt.failed(at: now)
        }
    }

    /// An endpoint answered the topology hunt.
    func answeredHunt(
        _ message: MessageView, from connection: ShardConnection, at now: Instant
    ) {
        do {
            guard message.type == .topologyReport else {
                hunt.failed(at: now)
                return
            }
            let told = try Topology(TopologyReport(decoding: message))
            let source = hunt.source(of: connection.endpoint)
            switch trust.verdict(on: told.cluster, from: source) {
            case .take: take(told, from: connection, at: now)
            case .takeAtLast:
                offer = (told, connection)
                hunt.wasOffered(at: now)
            case .passOver: hunt.failed(at: now)
            }
        } catch {
            hunt.failed(at: now)
        }
    }

    /// Accepts a topology. A topology of another cluster says nothing about this cluster's nodes,
    /// and positions of this log have no meaning there.
    private func take(_ told: Topology, from connection: ShardConnection, at now: Instant) {
        offer = nil
        // The current topology may have no cluster id: its publisher had none yet.
        let isAnother =
            told.cluster.contradicts(topology?.cluster ?? .none)
            || told.cluster.contradicts(trust.cluster)
        trust.took(told.cluster, from: hunt.source(of: connection.endpoint))
        loop.note(isConfirmed: trust.isConfirmed)
        if isAnother { loop.beginSession() }
        let fresh = isAnother ? told : topology.map(told.remembering) ?? told
        install(fresh, from: connection, at: now)
    }

    /// Installs a topology: queued operations are routed again, sent ones stay.
    private func install(
        _ fresh: Topology, from connection: ShardConnection, at now: Instant
    ) {
        hunt.answered(
            by: connection.endpoint, publisher: fresh.controlEndpoint,
            shards: fresh.shards.map(\.endpoint), at: now)
        if fresh != topology { adopt(fresh, at: now) }
        let waiting = unrouted
        let questions = unroutedQuestions
        unrouted = []
        unroutedQuestions = []
        for reference in waiting { route(reference, at: now) }
        for request in questions {
            if case .topology = request.target {
                request.settle(.success([]))
            } else {
                route(request, at: now)
            }
        }
    }

    private func adopt(_ fresh: Topology, at now: Instant) {
        let sameNodes = topology?.nodes.map(\.id) == fresh.nodes.map(\.id)
        if !sameNodes { roundTrips = RoundTrips(nodeCount: fresh.nodes.count) }
        topology = fresh
        placeWait.took(fresh, at: now)
        loop.publish(fresh)
        shardConnections = fresh.shards.map { byEndpoint[$0.endpoint] }
        var queued: [OperationReference] = []
        for connection in connections {
            queued += connection.takeOperations()
            giveBackGets(of: connection, at: now)
            connection.node = nil
            connection.nodeID = nil
        }
        for (slot, connection) in shardConnections.enumerated() {
            guard let connection else { continue }
            belongs(connection, to: fresh.shards[slot], in: fresh)
        }
        closeStrangers(fresh)
        for reference in queued { route(reference, at: now) }
    }

    /// Closes idle connections to endpoints that the topology and the candidates no longer name.
    private func closeStrangers(_ fresh: Topology) {
        var named = Set(hunt.candidates)
        named.insert(fresh.controlEndpoint)
        named.formUnion(fresh.shards.map(\.endpoint))
        let strangers = connections.filter { !named.contains($0.endpoint) && !$0.hasRequests }
        guard !strangers.isEmpty else { return }
        // The poller refers to sockets by address: it must go before any of them.
        poller = Poller()
        isPollerCurrent = false
        // The poller may be in the middle of a round: no connection has an index in the new one
        // until the next turn.
        for connection in connections { connection.pollIndex = nil }
        connections.removeAll { connection in strangers.contains { $0 === connection } }
        for stranger in strangers { byEndpoint[stranger.endpoint] = nil }
    }
}
