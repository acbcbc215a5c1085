import CacheClientCore
import CacheModel
import CacheWire

/// The search for the topology, and a new topology's effects.
extension RequestRouter {
    func ask(_ action: TopologyHunt.Action, at now: Instant) {
        switch action {
        case .wait: return
        case .ask(let endpoint):
            do {
                let most = ClientLimits.connectionsMax + hunt.candidates.count
                try connections.open(endpoint, endpoint, most: most).isAskedForTopology = true
            } catch {
                // The next endpoint is asked, in its time.
                hunt.failed(at: now)
            }
        case .takeOffer:
            guard let offer else { return }
            take(offer.topology, from: offer.endpoint, at: now)
        }
    }

    func answeredHunt(
        _ message: MessageView, from connection: ShardConnection, at now: Instant
    ) {
        if message.type == .notLeader {
            huntWasDenied(message, by: connection, at: now)
            return
        }
        do {
            guard message.type == .topologyReport else {
                hunt.failed(at: now)
                return
            }
            let told = try Topology(TopologyReport(decoding: message))
            let source = hunt.source(of: connection.endpoint)
            switch trust.verdict(on: told.cluster, from: source) {
            case .take where isOutdated(told, from: connection.endpoint):
                keepOffer(told, from: connection.endpoint, isOwn: true, at: now)
            case .take: take(told, from: connection.endpoint, at: now)
            case .takeAtLast:
                keepOffer(told, from: connection.endpoint, isOwn: false, at: now)
            case .passOver: hunt.failed(at: now)
            }
        } catch {
            hunt.failed(at: now)
        }
    }

    /// Keeps a topology for the end of the round. One of the client's own cluster is better.
    private func keepOffer(
        _ told: Topology, from endpoint: String, isOwn: Bool, at now: Instant
    ) {
        if isOwn || offer?.isOwn != true { offer = (told, endpoint, isOwn) }
        hunt.wasOffered(at: now)
    }

    /// Accepts a topology. A topology of another cluster says nothing about this cluster's nodes,
    /// and positions of this log have no meaning there.
    private func take(_ told: Topology, from endpoint: String, at now: Instant) {
        offer = nil
        // The current topology may have no cluster id: its publisher had none yet.
        let isAnother =
            told.cluster.contradicts(topology?.cluster ?? .none)
            || told.cluster.contradicts(trust.cluster)
        trust.took(told.cluster, from: hunt.source(of: endpoint))
        view.isConfirmed = trust.isConfirmed
        loop.note(isConfirmed: trust.isConfirmed)
        if isAnother {
            loop.beginSession()
            forgetPublishers()
        }
        foundPublisher(of: told, from: endpoint, at: now)
        let fresh = isAnother ? told : topology.map(told.remembering) ?? told
        install(fresh, from: endpoint, at: now)
    }

    /// Installs a topology: queued operations are routed again, sent ones stay.
    private func install(_ fresh: Topology, from endpoint: String, at now: Instant) {
        let publisher = Self.canonical(fresh.controlEndpoint)
        hunt.answered(
            by: endpoint, publisher: leaders.leader ?? publisher,
            others: otherPublishers(than: publisher),
            shards: fresh.shards.map(\.endpoint), at: now)
        if fresh != topology { adopt(fresh, at: now) }
        tellLeader(of: fresh)
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

    func adopt(_ fresh: Topology, at now: Instant) {
        routing.took(fresh, at: now)
        (view.cluster, view.version) = (fresh.cluster, fresh.version)
        loop.publish(fresh)
        var queued: [OperationReference] = []
        for connection in connections.all {
            queued += connection.takeOperations()
            gets.giveBackAll(of: connection, at: now)
        }
        connections.adopt(fresh, candidates: hunt.candidates)
        for reference in queued { route(reference, at: now) }
    }
}
