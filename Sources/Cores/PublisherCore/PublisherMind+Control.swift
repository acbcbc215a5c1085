import CacheInvalidation
import CacheModel
import CacheWire

/// Messages of nodes on the control channel.
extension PublisherMind {
    static var strangerSentence: String {
        "this run has not introduced itself to the publisher; say HELLO first"
    }

    static var wildEpochSentence: String {
        "no publisher has been that far; what the node knows of the log is damaged, start it empty"
    }

    mutating func takeHello(
        _ message: MessageView, from asker: Asker, now: Instant,
        into actions: inout [PublisherAction]
    ) throws(WireRefusal) {
        let hello = try Hello(decoding: message)
        guard let node = plan.node(hello.node) else {
            let sentence =
                "node \(hello.node) is not in the publisher's configuration; add it under "
                + "nodes and reload, or start the node with one of the ids listed there"
            return refuse(asker, .notRegistered, sentence, into: &actions)
        }
        guard hello.endpoints.count == node.shards else {
            let sentence =
                "node \(hello.node) has \(hello.endpoints.count) shards, its configuration "
                + "says \(node.shards); start it with that many"
            return refuse(asker, .outOfRange, sentence, into: &actions)
        }
        guard isBelievable(hello.applied) else {
            return refuse(asker, .outOfRange, Self.wildEpochSentence, into: &actions)
        }
        let run = NodeRun(node: hello.node, incarnation: hello.incarnation)
        do throws(GrantTable.Refusal) {
            try introduce(run, hello, now: now)
        } catch {
            let (code, sentence) = Self.explanation(of: error)
            return refuse(asker, code, sentence, into: &actions)
        }
        if isStanding {
            welcome(run, asker, into: &actions)
            return
        }
        // It repeats its HELLO until it is answered: one entry is enough.
        welcomes.removeAll { $0.asker.peer == asker.peer }
        if welcomes.count < PublisherLimits.welcomesMax {
            welcomes.append((run, asker))
        } else {
            refuse(asker, .busy, "too many introductions wait for an answer", into: &actions)
        }
    }

    private mutating func introduce(
        _ run: NodeRun, _ hello: Hello, now: Instant
    ) throws(GrantTable.Refusal) {
        try grants.introduce(run, reporting: hello.applied, of: hello.log, now: now)
        if !grants.hasGrant(.unheard(run.node), at: now) {
            receipts.heard(run, holdsGrant: grants.hasGrant(run, at: now), now: now)
        }
        // A node without a position in a log has no entries of its cluster.
        let isPlaced = hello.log != .none && hello.applied.position.epoch != .none
        identity.heard(isPlaced ? hello.cluster : .none, from: hello.node)
        if isPlaced { noteMembers(of: hello) }
        _ = hear(run, hello.applied, of: hello.log, now: now)
        learn(hello.endpoints, of: hello.node)
    }

    private static func explanation(of refusal: GrantTable.Refusal) -> (ErrorCode, String) {
        switch refusal {
        case .notRegistered:
            (.notRegistered, "the node is not in the publisher's configuration")
        case .incarnationTaken:
            (.outOfRange, "another node has this incarnation; draw a new one at random")
        case .tooManyRuns:
            (.busy, "too many runs of this node still hold a lease; wait until they are over")
        }
    }

    mutating func welcome(
        _ run: NodeRun, _ asker: Asker, into actions: inout [PublisherAction]
    ) {
        var welcome = Welcome(
            log: log.id, head: log.head, tail: log.tail,
            leaseMilliseconds: leaseMilliseconds,
            heartbeatMilliseconds: UInt32(clamping: plan.heartbeat.wholeMilliseconds),
            versions: versions, liveEndpoint: plan.liveEndpoint)
        welcome.previousRun = lives.previous(of: run)
        welcome.cluster = identity.id
        reply(to: asker, into: &actions) { welcome.encode(requestID: asker.requestID, into: &$0) }
    }

    /// Answers the HELLOs that arrived before the log had its position.
    mutating func answerGreetings(into actions: inout [PublisherAction]) {
        guard isStanding, !welcomes.isEmpty else { return }
        for (run, asker) in welcomes { welcome(run, asker, into: &actions) }
        welcomes = []
    }

    mutating func takePing(
        _ message: MessageView, from asker: Asker, now: Instant,
        into actions: inout [PublisherAction]
    ) throws(WireRefusal) {
        let ping = try Ping(decoding: message.body)
        guard let run = grants.run(of: ping.incarnation), !isPlaceWithdrawn(of: run.node) else {
            return refuse(asker, .notRegistered, Self.strangerSentence, into: &actions)
        }
        guard isBelievable(ping.applied) else {
            return refuse(asker, .outOfRange, Self.wildEpochSentence, into: &actions)
        }
        let isOurs = hear(run, ping.applied, state: ping.state, now: now)
        // Without a history there is no head to report, nor while its epoch may still be lost; the
        // node asks again.
        guard isStanding else { return }
        if ping.purpose == .lease, isOurs,
            !isLifeNoted(run, ping, from: asker, now: now, into: &actions)
        {
            return
        }
        let isGranted = ping.purpose == .lease && grant(run, isOfTheLog: isOurs, now: now)
        answer(ping, isGranted: isGranted, to: asker, into: &actions)
    }

    mutating func answer(
        _ ping: Ping, isGranted: Bool, to asker: Asker, into actions: inout [PublisherAction]
    ) {
        var pong = Pong(
            sentAt: ping.sentAt, log: log.id, head: log.head,
            leaseMilliseconds: isGranted ? leaseMilliseconds : 0, versions: versions)
        pong.cluster = identity.id
        reply(to: asker, into: &actions) { pong.encode(requestID: asker.requestID, into: &$0) }
    }

    /// The lease to grant: never longer than the one that a later publisher would assume.
    private var lease: Duration { min(plan.lease, log.leaseKept ?? plan.lease) }

    private var leaseMilliseconds: UInt32 { UInt32(clamping: lease.wholeMilliseconds) }

    mutating func grant(_ run: NodeRun, isOfTheLog: Bool, now: Instant) -> Bool {
        let counted = InvalidationLimits.grant(for: lease)
        let end = now.advanced(by: plan.guards.isOn(.grantMargin) ? counted : lease)
        let isGranted = grants.grant(
            run, isOfTheLog: isOfTheLog && !membership.mustHideFirst, head: log.head.position,
            until: end)
        guard isGranted else {
            statistics.leasesWithheld += 1
            return false
        }
        statistics.leasesGranted += 1
        grants.note(lease: lease, until: end, now: now)
        return true
    }

    /// ACK is not answered; the ACK of an unknown run is only counted.
    mutating func takeAck(_ message: MessageView, now: Instant) throws(WireRefusal) {
        let ack = try Ack(decoding: message.body)
        guard let run = grants.knownRun(of: ack.incarnation), isBelievable(ack.applied) else {
            statistics.refused += 1
            return
        }
        statistics.acknowledgements += 1
        _ = hear(run, ack.applied, now: now)
    }

    /// BYE is not answered either.
    mutating func takeBye(_ message: MessageView, now: Instant) throws(WireRefusal) {
        let bye = try Bye(decoding: message.body)
        guard let run = grants.knownRun(of: bye.incarnation) else {
            statistics.refused += 1
            return
        }
        grants.leave(run)
        count(1, .bye)
        receipts.ended(run, now: now)
    }
}
