import CacheClientCore
import CacheModel
import CacheWire
import ZeroMQ

/// Which publisher the questions go to, where several share a log: docs/protocol.md 8.6.
///
///     question ─▶ leader known ─▶ its queue ─▶ NOT LEADER, silence ─▶ lost ──┐
///         └─────▶ none known ──▶ unroutedQuestions ◀────────────────────────┘
///                                      └─ TopologyHunt finds the leader ─▶ route
///
/// One search finds the leader for all questions that wait, so a cluster without a leader gets the
/// same few messages however many questions there are.
extension RequestRouter {
    /// The canonical form of an endpoint; the text itself if it is none.
    static func canonical(_ text: String) -> String { parsed(text) ?? text }

    /// The canonical form of an endpoint; `nil` if it cannot be connected to.
    static func parsed(_ text: String) -> String? {
        guard !text.isEmpty else { return nil }
        do throws(EndpointError) {
            return try Endpoint(text, for: .connecting).description
        } catch {
            return nil
        }
    }

    /// Where questions to the publisher go now; `nil` while the leader is searched.
    var publisherEndpoint: String? {
        if let leader = leaders.leader { return leader }
        return leaders.isSearching ? nil : topology?.controlEndpoint
    }

    /// Whether a question was sent to one of several publishers, and not answered, before the
    /// client changed to another cluster. It is not repeated there.
    func isOfFormerCluster(_ request: AdminRequest) -> Bool {
        leaders.hasOthers && request.isInDoubt && request.session != loop.sessionNumber
    }

    func waitForLeader(_ request: AdminRequest, at now: Instant) {
        wait(request, at: now)
        if leaders.isSearching { searchLeader(until: request.deadline, at: now) }
    }

    private func searchLeader(
        until end: Instant, avoiding silent: String? = nil, at now: Instant
    ) {
        hunt.leaderWanted(
            until: end, publishers: leaders.publishers, avoiding: silent, at: now)
    }

    /// The error of a question that was never sent, or certainly not done, if the reason is that no
    /// publisher leads.
    func missingLeader(of request: AdminRequest) -> CacheError? {
        guard leaders.isSearching, request.isForPublisher || topology == nil else { return nil }
        return .noLeader(mayHaveHappened: request.isInDoubt)
    }

    /// Watches the leader for silence from now on, if another publisher may lead in its place.
    func watchLeader(_ connection: ShardConnection) {
        connection.watch.isOneOfSeveral = leaders.hasOthers
        guard leaders.hasOthers else { return }
        timer.watch(connection)
        timer.lower(to: connection.patienceEnd ?? DueTimer.never)
    }

    // MARK: Publishers that do not lead

    /// A question got NOT LEADER: it is asked elsewhere. It was not done, unless the answer says
    /// that it may have been.
    func wasDenied(
        _ request: AdminRequest, by connection: ShardConnection, _ message: MessageView,
        at now: Instant
    ) {
        let endpoint = connection.endpoint
        if Self.mayHaveHappened(message) { request.noteDoubt() }
        leaders.denied(question: endpoint, naming: Self.named(in: message), at: now)
        changedLeader(avoiding: nil, until: request.deadline, at: now)
        route(request, at: now)
    }

    /// A request for the topology got NOT LEADER.
    func huntWasDenied(
        _ message: MessageView, by connection: ShardConnection, at now: Instant
    ) {
        let other = Self.named(in: message)
        leaders.denied(by: connection.endpoint, naming: other, at: now)
        hunt.denied(by: connection.endpoint, naming: other, at: now)
        superseded.append(connection.endpoint)
        tellLeader(of: topology)
        guard let end = unroutedQuestions.map(\.deadline).max() else { return }
        searchLeader(until: end, at: now)
    }

    /// A publisher with an open question answers a probe. It may say that it does not lead.
    func answeredProbe(
        _ message: MessageView, from connection: ShardConnection, at now: Instant
    ) {
        guard message.type == .notLeader, connection.watch.isOneOfSeveral else { return }
        superseded.append(connection.endpoint)
        lost(connection.endpoint, .denied(naming: Self.named(in: message)), at: now)
    }

    /// The publisher at `endpoint` does not lead, or gives no answer.
    func lost(_ endpoint: String, _ loss: ClientLoop.LeaderLoss, at now: Instant) {
        let endpoint = Self.canonical(endpoint)
        let end = now.advanced(by: ClientLimits.leaderReportPause * 2)
        switch loss {
        case .denied(let other):
            leaders.denied(question: endpoint, naming: other.flatMap(Self.parsed), at: now)
            changedLeader(avoiding: nil, until: end, at: now)
        case .silent:
            guard leaders.hasOthers else { return }
            leaders.fellSilent(endpoint, at: now)
            changedLeader(avoiding: endpoint, until: end, at: now)
        }
    }

    /// - Parameter silent: a publisher that gives no answer; `nil` if there is none.
    private func changedLeader(avoiding silent: String?, until end: Instant, at now: Instant) {
        tellLeader(of: topology)
        guard leaders.leader != nil else {
            searchLeader(until: end, avoiding: silent, at: now)
            return
        }
        // The topology still names the one before.
        hunt.wanted(at: now)
        let questions = unroutedQuestions
        unroutedQuestions = []
        for request in questions { route(request, at: now) }
    }

    /// The endpoint that NOT LEADER names; `nil` if it names none that can be used.
    static func named(in message: MessageView) -> String? {
        do throws(WireRefusal) {
            return parsed(try NotLeader(decoding: message.body).controlEndpoint)
        } catch {
            return nil
        }
    }

    private static func mayHaveHappened(_ message: MessageView) -> Bool {
        do throws(WireRefusal) {
            return try NotLeader(decoding: message.body).mayHaveHappened
        } catch {
            return true
        }
    }

    // MARK: Topologies

    /// Whether a topology names a publisher that was left, so that another one is better.
    func isOutdated(_ told: Topology, from endpoint: String) -> Bool {
        guard topology != nil else { return false }
        let publisher = Self.canonical(told.controlEndpoint)
        return leaders.verdict(on: publisher, from: endpoint) == .takeAtLast
    }

    /// A topology was accepted, and names its publisher.
    func foundPublisher(of told: Topology, from endpoint: String, at now: Instant) {
        leaders.told(areSeveral: told.hasSeveralPublishers)
        let former = leaders.took(
            Self.canonical(told.controlEndpoint), from: endpoint,
            shards: told.shards.map(\.endpoint), at: now)
        if let former { superseded.append(former) }
        if leaders.leader != nil { hunt.leaderFound() }
    }

    /// Other publishers to ask for the topology than the leader, or the one that a topology names.
    func otherPublishers(than publisher: String) -> [String] {
        let first = leaders.leader ?? publisher
        let known = leaders.publishers + (publisher.isEmpty ? [] : [publisher])
        return known.filter { $0 != first }
    }

    /// The client changes to another cluster, which has other publishers.
    func forgetPublishers() {
        leaders = LeaderTracker(seeds: hunt.seeds)
        for connection in connections.all { connection.watch.isOneOfSeveral = false }
    }

    /// Tells the threads that follow the log which publisher leads, once its live endpoint is
    /// known.
    func tellLeader(of topology: Topology?) {
        loop.leader.update(isOneOfSeveral: leaders.hasOthers, isMissing: leaders.isSearching)
        guard let topology, let leader = leaders.leader,
            leader == Self.canonical(topology.controlEndpoint)
        else { return }
        loop.leader.leads(LeaderNews.Place(topology))
    }

    func takeSuperseded() -> [String] {
        defer { superseded = [] }
        return superseded
    }
}
