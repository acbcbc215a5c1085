import CacheClientCore
import CacheModel
import CacheWire
import ZeroMQ

/// Operations and questions that are not sent: where each goes, and how long it waits there. Lives
/// on the loop's thread.
///
///     accept ─▶ route ─▶ queue of a connection ─▶ MessageSender
///                 ▲ └──▶ unrouted: until a topology shows where it belongs
///                 └───── delayed: until the pause before a retry is over
///
/// The topology is here too: a new one routes anew what waits.
final class RequestRouter {
    enum Delayed {
        case operation(OperationReference)
        case question(AdminRequest)
    }

    let loop: ClientLoop
    let timer: DueTimer
    let connections: ConnectionTable
    let gets: PlainGets
    var routing: NodeRouting
    var hunt: TopologyHunt
    var trust: ClusterTrust
    /// Which publisher leads.
    var leaders: LeaderTracker
    /// Publishers with open questions that are to be asked elsewhere.
    var superseded: [String] = []
    /// What messages tell of the topology; renewed with it, so that a message copies no topology.
    var view = MessageSender.View()
    /// A topology of another cluster or of a publisher that was left, and the endpoint that sent
    /// it.
    var offer: (topology: Topology, endpoint: String, isOwn: Bool)?
    var delayed: [(request: Delayed, due: Instant)] = []
    /// Operations without a route: there is no topology yet, or the node has no known endpoint.
    var unrouted: [OperationReference] = []
    var unroutedQuestions: [AdminRequest] = []
    /// Operations accepted and not settled, beside plain gets.
    var pendingCount = 0

    init(
        _ loop: ClientLoop, seeds: [Endpoint], _ timer: DueTimer, _ connections: ConnectionTable,
        _ gets: PlainGets
    ) {
        self.loop = loop
        self.timer = timer
        self.connections = connections
        self.gets = gets
        let configuration = loop.configuration
        routing = NodeRouting(preferred: configuration.near)
        leaders = LeaderTracker(seeds: seeds.map(\.description))
        hunt = TopologyHunt(
            seeds: seeds.map(\.description), kept: Self.usable(configuration.keptEndpoints))
        trust = ClusterTrust(kept: configuration.keptCluster)
    }

    /// The valid endpoints, in the canonical form.
    private static func usable(_ kept: [String]) -> [String] {
        kept.compactMap { text in
            do throws(EndpointError) {
                return try Endpoint(text, for: .connecting).description
            } catch {
                return nil
            }
        }
    }

    var topology: Topology? { routing.topology }

    var openCount: Int { pendingCount + gets.openCount }

    // MARK: Operations

    func accept(_ request: DataRequest, at now: Instant) {
        request.isOpen = true
        guard !request.isCancelled else {
            request.settleRest(.cancelled(mayHaveHappened: false))
            return
        }
        guard openCount + request.operations.count <= ClientLimits.operationsPendingMax else {
            request.settleRest(.tooManyOpen)
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

    func route(_ reference: OperationReference, at now: Instant) {
        guard !reference.isSettled else { return }
        let request = reference.request
        guard let topology else {
            wait(reference, until: request.deadline, at: now)
            return
        }
        guard !request.atLeastCluster.contradicts(topology.cluster) else {
            settle(reference, .failed(.foreignPosition))
            return
        }
        guard !request.isWrite || trust.isConfirmed else {
            settle(reference, .failed(.unconfirmed))
            return
        }
        let number: ShardNumber
        do {
            number = try routing.shard(
                for: reference.operation.route, request.placement,
                avoiding: request.progress[reference.index].avoided,
                bringsToken: reference.envelope.bringsTokens
            ) { [connections] in connections.mayAnswer($0, in: topology) }
        } catch {
            settle(reference, .failed(CacheError(error)))
            return
        }
        if let end = routing.waitEnd(for: number, at: now) {
            wait(reference, until: min(end, request.deadline), at: now)
            return
        }
        request.progress[reference.index].ownerFailure = nil
        do {
            queue(reference, at: try connections.open(number, in: topology))
        } catch {
            hunt.wanted(at: now)
            if let other = substitute(for: reference, in: topology) {
                request.progress[reference.index].ownerFailure = error
                queue(reference, at: other)
            } else {
                settle(reference, .failed(error))
            }
        }
    }

    /// Until its deadline it may not be possible to send it, whatever else wakes the loop.
    private func queue(_ reference: OperationReference, at connection: ShardConnection) {
        connection.queue(reference)
        timer.lower(to: reference.request.deadline)
    }

    /// The node that loads a value while its owner does not answer: of the nodes that answer, the
    /// one that would own the key. In a namespace without an origin it answers MISS.
    ///
    /// - Returns: `nil` if the request is for the owner alone, or no node answers.
    private func substitute(
        for reference: OperationReference, in topology: Topology
    ) -> ShardConnection? {
        guard topology.kind == .sharded, reference.request.mayGoElsewhere,
            let number = topology.owner(
                of: reference.operation.route,
                where: { connections.mayAnswer($0, in: topology) })
        else { return nil }
        do {
            return try connections.open(number, in: topology)
        } catch {
            return nil
        }
    }

    /// Keeps an operation until a topology shows where it belongs.
    private func wait(_ reference: OperationReference, until end: Instant, at now: Instant) {
        unrouted.append(reference)
        timer.lower(to: end)
        hunt.wanted(at: now)
    }

    func carryOut(_ step: OperationStep, for reference: OperationReference, at now: Instant) {
        switch step {
        case .settle(let outcome): settle(reference, outcome)
        case .route: route(reference, at: now)
        case .delay(let due): delay(.operation(reference), until: due)
        case .leftOver: break
        }
    }

    func delay(_ request: Delayed, until due: Instant) {
        delayed.append((request, due))
        timer.lower(to: due)
    }

    func settle(_ reference: OperationReference, _ outcome: DataRequest.Outcome) {
        guard !reference.isSettled else { return }
        reference.request.settle(reference.index, outcome)
        pendingCount -= 1
    }

    // MARK: Questions

    func accept(_ request: AdminRequest, at now: Instant) {
        request.isOpen = true
        guard !request.isCancelled else {
            request.settle(.failure(.cancelled(mayHaveHappened: false)))
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
            guard let leader = publisherEndpoint, !isOfFormerCluster(request) else {
                waitForLeader(request, at: now)
                return
            }
            endpoint = leader
        case .endpoint(let text): endpoint = text
        }
        guard !request.mayHaveHappened || topology == nil || trust.isConfirmed else {
            request.settle(.failure(.unconfirmed))
            return
        }
        do {
            let connection = try connections.open(endpoint, peerName(request))
            connection.questions.append(request)
            timer.lower(to: request.deadline)
            if request.isForPublisher { watchLeader(connection) }
        } catch {
            hunt.wanted(at: now)
            guard request.isForPublisher, leaders.hasOthers else {
                request.settle(.failure(error))
                return
            }
            lost(endpoint, .silent, at: now)
            waitForLeader(request, at: now)
        }
    }

    func wait(_ request: AdminRequest, at now: Instant) {
        unroutedQuestions.append(request)
        timer.lower(to: request.deadline)
        hunt.wanted(at: now)
    }

    func peerName(_ request: AdminRequest) -> String {
        switch request.target {
        case .publisher: "the publisher"
        case .endpoint(let endpoint): "the process at \(endpoint)"
        case .topology: everyEndpoint
        }
    }

    var everyEndpoint: String {
        "every known endpoint (\(hunt.candidates.joined(separator: ", ")))"
    }
}
