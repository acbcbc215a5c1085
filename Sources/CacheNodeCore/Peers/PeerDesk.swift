package import CacheLoading
package import CacheModel
package import CacheWire
import ByteCoding

/// Which node of the cluster makes a load, so that one is enough for all of them.
///
///     load ─▶ the key's owner ── this node ──▶ askOrigin
///                    │ a peer
///                    ▼
///                 question ── a fresh value, or none ──▶ answer
///                    │ anything else, or silence
///                    ▼
///               the next owner, then the origin
///
/// Called by the origin thread, which sends what it says and hands in what comes
/// (docs/decisions/0042). It knows a peer by its shards' endpoints, and of each shard only what it
/// says: a shard answers in a moment, so that one that says nothing while it is asked is gone.
///
/// Every load that is handed in leaves again exactly once, by `askOrigin` or `answer`.
///
/// - Complexity: a call costs O(shards of the cluster) for a load that begins, and O(shards that
///   are asked) where time passes.
package struct PeerDesk {
    private let node: NodeID
    private(set) var topology: Topology?
    var loads: [LoadTicket: PeerLoad] = [:]
    var standings: [String: PeerStanding] = [:]
    /// Whose load each question is for.
    var tickets: [UInt64: LoadTicket] = [:]
    var alarms = LoadAlarms()
    private var lastQuestion: UInt64 = 0
    package internal(set) var statistics = PeerStatistics()

    /// - Parameter node: this one.
    package init(node: NodeID) {
        self.node = node
    }

    /// Where answers are awaited from.
    package var askedEndpoints: [String] {
        standings.filter { $0.value.questionCount > 0 }.map(\.key).sorted()
    }

    /// Who is in the cluster now. Shards that are in it no more are not waited for.
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

    /// A shard wants a load made.
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

    /// A peer waits for this load: whoever is asked for it, it goes to the origin now.
    ///
    /// - Returns: whether it was a peer that was asked.
    @discardableResult
    package mutating func leave(
        _ ticket: LoadTicket, now: Instant, into actions: inout [Action]
    ) -> Bool {
        guard let load = take(ticket) else { return false }
        actions.append(.askOrigin(ticket, load.request(now: now), load.load.urgency))
        checkInvariants()
        return true
    }

    /// A reader waits now for a load that nobody waited for.
    ///
    /// - Returns: whether it is one that a peer is asked for.
    package mutating func hasten(_ ticket: LoadTicket) -> Bool {
        guard loads[ticket] != nil else { return false }
        loads[ticket]?.load.urgency = .awaited
        return true
    }

    // MARK: Whom to ask

    /// Asks the next owner of a load's key; the origin, if that is this node, or enough were
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

    /// Puts a question to the peer of a load, and remembers both.
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

    /// What state a node is in does not matter here: a topology tells of that only as of when it
    /// was asked for, and who cannot answer says so, or nothing.
    ///
    /// - Returns: `nil` if the origin is to be asked.
    private func nextOwner(of load: PeerLoad) -> ShardAddress? {
        guard let topology, load.askedInVain.count < PeerLimits.peersPerLoadMax else { return nil }
        let request = load.load.request
        let route = RouteHash(of: request.key.bytes, in: request.namespace)
        var excluded = load.askedInVain
        while let slot = topology.owner(
            of: route, where: { !excluded.contains(topology.nodes[$0.rawValue].id) })
        {
            let address = topology[slot]
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

    // MARK: Leaving

    /// Takes a load out, with its question.
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

    /// Its peer gave nothing: another is asked.
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
                    "whoever is asked is watched")
            }
        #endif
    }
}
