import CacheAccess
import CacheInvalidation
package import CacheModel
import CacheWire

/// Messages of nodes on the control channel.
extension PublishingCore {
    mutating func takeHello(_ message: IncomingMessage) throws(WireRefusal) {
        let requester = message.requester
        let hello = try Hello(decoding: message.view)
        let joining = plan.joining(hello, hasSlots: ownership.slots != nil)
        if case .refused(let code, let why) = joining {
            nodes.noteUnlisted(hello, now: message.now)
            return output.refuse(requester, code, why)
        }
        guard isBelievable(hello.applied) else {
            return output.refuse(requester, .outOfRange, NodeRefusal.wildEpoch)
        }
        let run = NodeRun(node: hello.node, incarnation: hello.incarnation)
        if let no = ownership.refusal(of: run, hello, plan, &nodes, now: message.now) {
            return output.refuse(requester, no.code, no.sentence, retryAfter: no.retryAfter)
        }
        changeMembers(now: message.now) { $0.take(joining, hello) }
        do throws(GrantTable.Refusal) {
            try introduce(run, hello, message)
        } catch {
            let (code, sentence) = error.explanation
            return output.refuse(requester, code, sentence)
        }
        guard !log.isStanding else { return welcome(run, requester) }
        nodes.delayWelcome(of: run, requester, output: &output)
    }

    private mutating func introduce(
        _ run: NodeRun, _ hello: Hello, _ message: IncomingMessage
    ) throws(GrantTable.Refusal) {
        let now = message.now
        try nodes.grants.introduce(run, reporting: hello.applied, of: hello.log, now: now)
        if !nodes.grants.hasGrant(.unheard(run.node), at: now) {
            receipts.tracker.heard(run, holdsGrant: nodes.grants.hasGrant(run, at: now), now: now)
        }
        nodes.note(run.node, knowsSlots: hello.knowsSlots)
        // A node without a position in a log has no entries of its cluster.
        let isPlaced = hello.log != .none && hello.applied.position.epoch != .none
        history.identity.heard(isPlaced ? hello.cluster : .none, from: hello.node)
        // A node of an earlier release knows no cluster, and has no members in force.
        if isPlaced, hello.cluster != .none || history.identity.isNameless {
            ownership.members.heardOfOthers()
        }
        _ = hear(run, hello.applied, of: hello.log, now: now)
        topology.update(hello.endpoints, of: hello.node, key: message.entry?.key)
    }

    mutating func welcome(_ run: NodeRun, _ requester: Requester) {
        var welcome = Welcome(
            log: log.id, head: log.head, tail: log.tail,
            leaseMilliseconds: leaseMilliseconds,
            heartbeatMilliseconds: UInt32(clamping: plan.heartbeat.wholeMilliseconds),
            versions: versions, liveEndpoint: plan.liveEndpoint)
        welcome.previousRun = nodes.runs.table.previous(of: run)
        welcome.cluster = history.identity.id
        output.reply(to: requester) { welcome.encode(requestID: requester.requestID, into: &$0) }
    }

    /// Answers the HELLOs that arrived before the log had its position.
    mutating func answerGreetings() {
        guard log.isStanding else { return }
        for (run, requester) in nodes.takeWelcomes() { welcome(run, requester) }
    }

    mutating func takePing(_ message: IncomingMessage) throws(WireRefusal) {
        let (requester, now) = (message.requester, message.now)
        let ping = try Ping(decoding: message.view.body)
        // A run that another one has replaced learns why from the answer to its HELLO.
        guard let run = nodes.grants.run(of: ping.incarnation), !topology.isWithdrawn(run.node),
            !ownership.isReplaced(run, plan, nodes)
        else {
            return output.refuse(requester, .notRegistered, NodeRefusal.stranger)
        }
        guard isBelievable(ping.applied) else {
            return output.refuse(requester, .outOfRange, NodeRefusal.wildEpoch)
        }
        let isOurs = hear(run, ping.applied, state: ping.state, now: now)
        if ping.state == .draining { ownership.lookNow() }
        // Without a history there is no head to report, nor while its epoch may still be lost; the
        // node asks again.
        guard log.isStanding else { return }
        // A run that is withheld the lease is not recorded as one that has it.
        let isLease = ping.purpose == .lease
        let mayHold = isLease && isOurs && ownership.mayLease(run, plan, nodes, now: now)
        if mayHold, !isStored(run, ping, of: message) { return }
        let isGranted =
            isLease && grant(run, mayHold: mayHold, askedAt: message.arrivedAt, now: now)
        answer(ping, isGranted: isGranted, to: requester)
    }

    mutating func answer(_ ping: Ping, isGranted: Bool, to requester: Requester) {
        var pong = Pong(
            sentAt: ping.sentAt, log: log.id, head: log.head,
            leaseMilliseconds: isGranted ? leaseMilliseconds : 0, versions: versions)
        pong.cluster = history.identity.id
        output.reply(to: requester) { pong.encode(requestID: requester.requestID, into: &$0) }
    }

    /// The lease to grant: never longer than the one that a later publisher would assume.
    private var lease: Duration { min(plan.lease, log.leaseKept ?? plan.lease) }

    /// The longest lease that a node may hold by the configuration, or by publishers of a log that
    /// is lost: a later publisher has to know it.
    package func longestLease(now: Instant) -> Duration {
        let isUnknown = history.areLeasesUnknown && now < nodes.grants.inheritedGrantsEnd
        return isUnknown ? max(plan.lease, plan.leaseMax) : plan.lease
    }

    private var leaseMilliseconds: UInt32 { UInt32(clamping: lease.wholeMilliseconds) }

    mutating func grant(_ run: NodeRun, mayHold: Bool, askedAt: Instant, now: Instant) -> Bool {
        let counted = InvalidationLimits.grant(for: lease)
        let end = now.advanced(by: plan.guards.isOn(.grantMargin) ? counted : lease)
        let answer = LeaseAnswer(
            head: log.head.position, askedAt: askedAt, answeredAt: now, grantEnds: end)
        let isGranted = nodes.grants.grant(run, isOfTheLog: mayHold, by: answer)
        guard isGranted else {
            output.statistics.leasesWithheld += 1
            return false
        }
        output.statistics.leasesGranted += 1
        nodes.grants.note(lease: lease, until: end, now: now)
        return true
    }

    /// ACK is not answered; the ACK of an unknown run is only counted.
    mutating func takeAck(_ message: IncomingMessage) throws(WireRefusal) {
        let now = message.now
        let ack = try Ack(decoding: message.view.body)
        guard let run = nodes.grants.knownRun(of: ack.incarnation), isBelievable(ack.applied) else {
            output.statistics.refused += 1
            return
        }
        output.statistics.acknowledgements += 1
        _ = hear(run, ack.applied, now: now)
    }

    /// BYE is not answered either.
    mutating func takeBye(_ message: IncomingMessage) throws(WireRefusal) {
        let now = message.now
        let bye = try Bye(decoding: message.view.body)
        guard let run = nodes.grants.knownRun(of: bye.incarnation) else {
            output.statistics.refused += 1
            return
        }
        nodes.remove(run, now: now, output: &output)
        receipts.tracker.ended(run, now: now)
    }

    mutating func takeForget(_ message: IncomingMessage) throws(WireRefusal) {
        let order = try NodeOrder(decoding: message.view)
        // A grant may have expired since the last turn, and a receipt may wait for it.
        expireGrants(now: message.now)
        let isForgotten = nodes.forget(
            order.node, for: message.requester, now: message.now, output: &output)
        guard isForgotten else { return }
        if ownership.giveUp(order.node, nodes.grants, now: message.now) {
            changeMembers(now: message.now) { $0.drop([order.node]) }
        }
    }

    /// The answer leaves before the leadership does: the client asks the next leader for news.
    mutating func takeStepDown(_ message: IncomingMessage) throws(WireRefusal) {
        _ = try StepDown(decoding: message.view.body)
        guard log.isShared else {
            throw WireRefusal(
                .unsupported,
                "this publisher is the only one of its log; several publishers need a log on etcd")
        }
        let done = Done(incarnation: .none, runCount: 0)
        output.reply(to: message.requester) {
            done.encode(requestID: message.requester.requestID, into: &$0)
        }
        output.actions.append(.stepDown)
    }
}
