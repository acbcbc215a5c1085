import ByteCoding
package import CacheLoading
package import CacheModel
package import CacheWire

/// Chooses the node of the cluster that makes a load, so that one load suffices for all nodes.
///
///     load ─▶ the key's owner ── this node ──▶ askOrigin
///                    │ a peer
///                    ▼
///                 request ── a fresh value, or none ──▶ answer
///                    │ anything else, or silence
///                    ▼
///               the next owner, then the origin
///
/// Called by the origin thread, which sends its frames and passes on received ones
/// (docs/decisions/0042). It identifies a peer by its shards' endpoints, and judges a shard only by
/// its messages: a shard answers within a short time, so one that stays silent while it is asked is
/// gone.
///
/// Every load leaves again exactly once, by `askOrigin` or `answer`.
///
/// - Complexity: O(shards of the cluster) for a load that begins, and O(shards that are asked) for
///   a timer.
package struct PeerLoads {
    private let node: NodeID
    package private(set) var topology: Topology?
    var loads: [LoadTicket: PeerLoad] = [:]
    var standings: [String: PeerStanding] = [:]
    /// The load of each request.
    var tickets: [UInt64: LoadTicket] = [:]
    var alarms = LoadAlarms()
    private var lastQuestion: UInt64 = 0
    package internal(set) var statistics = PeerStatistics()

    /// - Parameter node: this one.
    package init(node: NodeID) {
        self.node = node
    }

    /// Endpoints from which answers are awaited.
    package var askedEndpoints: [String] {
        standings.filter { $0.value.questionCount > 0 }.map(\.key).sorted()
    }

    /// Sets the nodes of the cluster. Shards that no longer belong to it are not waited for.
    package mutating func setTopology(
        _ topology: Topology, now: Instant, into actions: inout [Action]
    ) {
        self.topology = topology
        let known = Set(topology.shards.map(\.endpoint))
        for endpoint in standings.keys.sorted() where !known.contains(endpoint) {
            broke(endpoint, now: now, into: &actions)
            standings[endpoint] = nil
            actions.append(.close(endpoint: endpoint))
        }
        checkInvariants()
    }

    /// A shard requests a load.
    package mutating func make(
        _ load: ShardLoad, _ ticket: LoadTicket, now: Instant, into actions: inout [Action]
    ) {
        guard let terms = load.peer else {
            return actions.append(.askOrigin(ticket, load.request, load.urgency))
        }
        let made = PeerLoad(
            load: load, terms: terms, deadline: now.advanced(by: load.request.timeout), node: node)
        askNext(for: ticket, made, now: now, into: &actions)
        checkInvariants()
    }

    /// A peer waits for this load: wherever it is, it goes to the origin now.
    ///
    /// - Returns: whether a peer was being asked.
    @discardableResult
    package mutating func leave(
        _ ticket: LoadTicket, now: Instant, into actions: inout [Action]
    ) -> Bool {
        guard let load = take(ticket) else { return false }
        actions.append(.askOrigin(ticket, load.request(now: now), load.load.urgency))
        checkInvariants()
        return true
    }

    /// A reader waits now for a load that no reader waited for.
    ///
    /// - Returns: whether a peer is being asked for it.
    package mutating func hasten(_ ticket: LoadTicket) -> Bool {
        guard loads[ticket] != nil else { return false }
        loads[ticket]?.load.urgency = .awaited
        return true
    }

    // MARK: Choice of the peer

    /// Asks the next owner of a load's key; the origin, if that is this node, or enough peers were
    /// asked.
    mutating func askNext(
        for ticket: LoadTicket, _ load: PeerLoad, now: Instant, into actions: inout [Action]
    ) {
        guard let owner = nextOwner(of: load) else {
            return actions.append(
                .askOrigin(ticket, load.request(now: now), load.load.urgency))
        }
        var load = load
        load.node = owner.node
        load.endpoint = owner.endpoint
        alarms.set(ticket, at: load.deadline)
        ask(ticket, load, now: now, into: &actions)
    }

    /// Sends a request to the peer of a load, and records both.
    mutating func ask(
        _ ticket: LoadTicket, _ load: PeerLoad, now: Instant, into actions: inout [Action]
    ) {
        lastQuestion += 1
        var load = load
        load.question = lastQuestion
        tickets[lastQuestion] = ticket
        standings[load.endpoint, default: PeerStanding(now: now)].asked(now: now)
        statistics.questions += 1
        actions.append(.send(endpoint: load.endpoint, question(of: load, now: now)))
        loads[ticket] = load
    }

    /// The state of a node does not matter here: a topology reports it only as of its request, and
    /// a node that cannot answer says so, or stays silent.
    ///
    /// - Returns: `nil` if the origin must be asked.
    private func nextOwner(of load: PeerLoad) -> ShardAddress? {
        guard let topology, load.askedInVain.count < PeerLimits.peersPerLoadMax else { return nil }
        let request = load.load.request
        let route = RouteHash(of: request.key.bytes, in: request.namespace)
        var excluded = load.askedInVain
        while let number = topology.owner(
            of: route, where: { !excluded.contains(topology.nodes[$0.rawValue].id) })
        {
            let address = topology[number]
            if address.node == node { return nil }
            if canAsk(address.endpoint) { return address }
            excluded.append(address.node)
        }
        return nil
    }

    private func canAsk(_ endpoint: String) -> Bool {
        guard !endpoint.isEmpty else { return false }
        guard let standing = standings[endpoint] else {
            return standings.count < PeerLimits.linksMax
        }
        return !standing.isSilent && standing.questionCount < PeerLimits.questionsPerLinkMax
    }

    // MARK: Removal

    /// Removes a load, with its request.
    mutating func take(_ ticket: LoadTicket) -> PeerLoad? {
        guard let load = loads.removeValue(forKey: ticket) else { return nil }
        alarms.clear(ticket)
        forgetQuestion(of: load)
        return load
    }

    mutating func forgetQuestion(of load: PeerLoad) {
        tickets[load.question] = nil
        standings[load.endpoint]?.settled()
    }

    /// Its peer returned nothing: another is asked.
    mutating func turnAway(
        _ ticket: LoadTicket, now: Instant, into actions: inout [Action]
    ) {
        guard var load = take(ticket) else { return }
        statistics.askedInVain += 1
        load.askedInVain.append(load.node)
        load.partial = nil
        askNext(for: ticket, load, now: now, into: &actions)
    }

    func checkInvariants() {
        #if CACHE_CHECKED
            guard loads.count <= 48 else { return }
            precondition(loads.count == alarms.count, "every load has one alarm")
            precondition(loads.count == tickets.count, "every load has one question")
            var counts: [String: Int] = [:]
            for (ticket, load) in loads {
                precondition(tickets[load.question] == ticket, "a question is its load's")
                counts[load.endpoint, default: 0] += 1
            }
            for (endpoint, standing) in standings {
                precondition(
                    standing.questionCount == counts[endpoint, default: 0],
                    "a peer with open requests is watched")
            }
        #endif
    }
}

extension PeerLoads {
    /// Actions for the shell, to be performed in order.
    package enum Action: Equatable, Sendable {
        /// Send a frame to a peer's shard, over a connection that may have to be opened first. If
        /// it cannot be sent, or the connection breaks: `broke`.
        case send(endpoint: String, [UInt8])
        /// Send a frame to a peer's shard if there is a connection, and do nothing otherwise.
        case probe(endpoint: String, [UInt8])
        /// The connection to a peer's shard is no longer needed.
        case close(endpoint: String)
        /// Ask the origin. The request's `timeout` is the remaining time of the load.
        case askOrigin(LoadTicket, OriginRequest, LoadUrgency)
        /// The end of a load, for the shard that asked.
        case answer(LoadTicket, LoadOutcome)
    }
}
