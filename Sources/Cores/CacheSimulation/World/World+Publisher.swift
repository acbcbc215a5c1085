import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore

/// The publisher's thread: the counterpart of the server's PublisherLoop, in the same order.
extension World {
    static func core(
        _ plan: PublisherPlan, _ log: SimulatedLog, _ generation: Int, now: Instant
    ) -> PublishingCore<SimulatedLog> {
        PublishingCore(
            plan: plan, log: log, freshID: log.id,
            topologyVersion: UInt32(1_000 * (generation + 1)), now: now)
    }

    /// The publisher's present configuration.
    var plan: PublisherPlan { Self.plan(settings, members, leaseMilliseconds: leaseMilliseconds) }

    static func plan(
        _ settings: Settings, _ members: Set<Int>, leaseMilliseconds: Int
    ) -> PublisherPlan {
        var plan = PublisherPlan(
            nodes: members.sorted().map {
                PublisherPlan.Node(id: nodeID($0), shards: settings.shardCount)
            })
        plan.kind = settings.kind
        plan.lease = .milliseconds(leaseMilliseconds)
        plan.leaseMax = .milliseconds(settings.leaseMilliseconds)
        plan.heartbeat = .milliseconds(settings.heartbeatMilliseconds)
        plan.replicaLagDefault = settings.policy.replicaLag
        plan.replicaLags = settings.policies.mapValues(\.replicaLag)
        plan.guards = settings.guards
        plan.configuration = ConfigReport(revision: 1, text: "nodes: []\n")
        return plan
    }

    static func nodeID(_ node: Int) -> NodeID {
        guard let id = NodeID("n\(node)") else { preconditionFailure("a short word is a name") }
        return id
    }

    func wakePublisher(at time: WorldTime) {
        if let planned = publisher.turnAt, planned <= time { return }
        publisher.turnAt = time
        queue.add(.publisherTurns, at: time)
    }

    func publisherTurn() throws(Violation) {
        guard publisher.turnAt == now else { return }
        publisher.turnAt = nil
        guard publisher.runs else { return }
        let clock = publisher.clock.reading(at: now)
        let epochsBefore = publisher.core.statistics.epochsOpened
        var actions: [PublisherAction] = []
        for outcome in publisher.outcomes {
            publisher.core.appended(outcome, now: clock, into: &actions)
        }
        publisher.outcomes = []
        let frames = publisher.frames
        publisher.frames = []
        for (peer, bytes) in frames {
            try note(bytes, from: peer)
            bytes.withUnsafeBytes {
                publisher.core.received(
                    $0, from: MessageSender(Self.peer(peer)), now: clock, into: &actions)
            }
        }
        for _ in 0..<publisher.subscriptionCount { publisher.core.subscribed(now: clock) }
        publisher.subscriptionCount = 0
        publisher.core.tick(now: clock, into: &actions)
        try judgeHistory(before: actions)
        tally.epochs += Int(publisher.core.statistics.epochsOpened - epochsBefore)
        noteTold()
        guard try perform(actions) else { return }
        saveFloors()
        wakeDisk()
        let deadline = publisher.clock.time(of: publisher.core.nextDeadline)
        wakePublisher(at: max(soon(), deadline))
    }

    private func note(_ frame: [UInt8], from peer: UInt32) throws(Violation) {
        if frame[3] == MessageType.invalidate.rawValue {
            let requestID = try Self.decoded(frame) { $0.requestID }
            publisher.questions[.init(peer: peer, requestID: requestID)] = step
        }
        // By the contents of the frame: the connection, and the run, may be gone by now.
        if frame[3] == MessageType.ping.rawValue {
            let incarnation = try Self.decoded(frame) { try Ping(decoding: $0.body).incarnation }
            runs.last { $0.incarnation == incarnation }?.pingedStep = step
        }
        try noteHello(frame, from: peer)
    }

    /// Until the publisher has decided where its log continues, positions in HELLOs are binding.
    private func noteHello(_ frame: [UInt8], from peer: UInt32) throws(Violation) {
        guard frame[3] == MessageType.hello.rawValue else { return }
        let hello = try Self.decoded(frame) { try Hello(decoding: $0.body) }
        publisher.greetings[peer] = hello.applied.position
        publisher.greeted.insert(hello.node)
        // The publisher ignores a node that has left the configuration.
        let isMember = plan.nodes.contains { $0.id == hello.node }
        if publisher.hasDecided || !isMember { return }
        if hello.log != .none, hello.applied.position.epoch != .none {
            publisher.furthestTold = max(publisher.furthestTold, hello.applied.position)
        }
    }

    /// Performs the core's actions, unless the process is killed among them.
    ///
    /// - Returns: whether the process continues.
    private func perform(_ actions: [PublisherAction]) throws(Violation) -> Bool {
        let isFatal =
            settings.faults.contains(.publisherDeaths) && !isCalm && dice.chance(perMille: 1)
        guard isFatal, !actions.isEmpty else {
            for action in actions { try perform(action) }
            return true
        }
        for action in actions.prefix(dice.below(actions.count)) { try perform(action) }
        publisherDies()
        return false
    }

    func perform(_ action: PublisherAction) throws(Violation) {
        switch action {
        case .broadcast(let frame):
            if frame[3] == MessageType.records.rawValue { try chronicle(frame) }
            for run in runs {
                let link = run.links.live
                guard publisher.subscriptions[run.number] == links[link].connection else {
                    continue
                }
                send(.live(frame), over: link, run: run.number)
            }
        case .reply(let peer, let frame, _):
            switch MessageType(rawValue: frame[3]) {
            case .receipt: try judgeReceipt(frame, to: Self.number(of: peer))
            case .truncated: tally.truncations += 1
            case .welcome: try judgeWelcome(frame, to: Self.number(of: peer))
            default: break
            }
            try reply(frame, to: Self.number(of: peer))
        case .keep: break  // No client paces an invalidation here.
        case .keepLives(let bytes): try keepLives(bytes)
        case .keepCluster: break
        case .audit: break  // No client asks for an audit here.
        }
    }

    private func reply(_ frame: [UInt8], to peer: UInt32) throws(Violation) {
        switch publisher.owners[peer] {
        case .run(let run):
            if frame[3] == MessageType.pong.rawValue,
                try Self.decoded(frame, { try Pong(decoding: $0.body) }).leaseMilliseconds > 0
            {
                let known = runs[run].firstGrants[publisher.generation]
                runs[run].firstGrants[publisher.generation] = known ?? step
                noteGrant(of: runs[run])
            }
            if frame[3] == MessageType.welcome.rawValue {
                try judgePreviousRun(of: runs[run], frame)
            }
            send(.control(frame), over: runs[run].links.fromPublisher, run: run)
        case .writer: send(.receipt(frame), over: writerLinks.fromPublisher, run: -1)
        case nil: break
        }
    }

    static func decoded<Value>(
        _ frame: [UInt8], _ decode: (MessageView) throws -> Value
    ) throws(Violation) -> Value {
        do {
            return try frame.withUnsafeBytes { try decode(try MessageView(decoding: $0)) }
        } catch {
            throw Violation("a core sends an undecodable message: \(error)")
        }
    }

    private static func peer(_ number: UInt32) -> PeerID {
        let bytes = withUnsafeBytes(of: number) { [0] + [UInt8]($0) }
        guard let peer = bytes.withUnsafeBytes({ PeerID($0) }) else {
            preconditionFailure("five bytes are a name")
        }
        return peer
    }

    private static func number(of peer: PeerID) -> UInt32 {
        peer.withBytes { $0.loadUnaligned(fromByteOffset: 1, as: UInt32.self) }
    }
}
