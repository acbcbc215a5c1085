import CacheInvalidation
import CacheModel
import CacheNodeCore
import CacheWire
import PublisherCore

/// One turn of a thread, and what it has done.
extension LargeCluster {
    // MARK: The publisher

    func turnPublisher(
        _ event: (inout PublishingCore<SimulatedLog>, Instant, inout [PublisherAction]) -> Void
    ) {
        let clock = Self.instant(now)
        var actions: [PublisherAction] = []
        event(&publisher, clock, &actions)
        publisher.tick(now: clock, into: &actions)
        perform(actions)
        if disk.hasWork, !isLogAtWork {
            isLogAtWork = true
            plan(.logWorks, after: Self.diskDelay)
        }
        let due = max(now + .microseconds(1), Self.time(publisher.nextDeadline))
        guard publisherTurnAt.map({ due < $0 }) ?? true else { return }
        publisherTurnAt = due
        plan(.publisherTurns, at: due)
    }

    func workOnLog() {
        isLogAtWork = false
        guard let outcome = disk.work() else {
            return turnPublisher { _, _, _ in }
        }
        turnPublisher { core, now, actions in
            core.appended(outcome, now: now, into: &actions)
        }
    }

    private func perform(_ actions: [PublisherAction]) {
        var actions = actions
        while !actions.isEmpty {
            let due = actions
            actions = []
            for action in due { perform(action, into: &actions) }
        }
    }

    private func perform(_ action: PublisherAction, into later: inout [PublisherAction]) {
        switch action {
        case .broadcast(let frame):
            if frame[3] == MessageType.records.rawValue { cost.recordBytes += frame.count }
            if frame[3] == MessageType.heartbeat.rawValue { noteHeartbeat(frame) }
            for number in nodes.indices where !nodes[number].isDead {
                plan(
                    .toNode(number, frame, isLive: true), at: arrival(ofBytes: frame.count))
            }
        case .reply(let peer, let frame, _):
            if frame[3] == MessageType.topologyReport.rawValue {
                cost.topologies += 1
                cost.topologyBytes += frame.count
            }
            let number = Int(PublisherChannels.number(of: peer))
            plan(.toNode(number, frame, isLive: false), at: arrival(ofBytes: frame.count))
        case .keepLives:
            publisher.livesKept(nil, isGone: false, now: Self.instant(now), into: &later)
        case .keepSlots: publisher.slotsKept(true, now: Self.instant(now))
        case .keep, .keepCluster, .audit: break
        case .confirm, .stepDown: preconditionFailure("no other publisher leads this log")
        }
    }

    // MARK: Nodes

    func add() {
        let number = nodes.count
        let identity = NodeControlIdentity(
            node: SimulatedNodes.id(of: number), incarnation: Incarnation(UInt64(number + 1)),
            endpoints: ["tcp://10.0.\(number / 256).\(number % 256):7410"],
            joinWeight: JoinWeight(thousandths: 1_000))
        var node = Node(control: NodeControlCore(identity: identity, seed: UInt64(number + 1)))
        var actions: [NodeControlAction] = []
        node.control.start(now: Self.instant(now), into: &actions)
        nodes.append(node)
        publisher.subscribed(now: Self.instant(now))
    }

    func turn(
        _ number: Int,
        _ event: (inout NodeControlCore, Instant, inout [NodeControlAction]) -> Void
    ) {
        guard !nodes[number].isDead else { return }
        let clock = Self.instant(now)
        var actions: [NodeControlAction] = []
        event(&nodes[number].control, clock, &actions)
        perform(&actions, of: number)
        nodes[number].control.tick(now: clock, into: &actions)
        nodes[number].control.endTurn(now: clock, into: &actions)
        perform(&actions, of: number)
        guard let deadline = nodes[number].control.nextDeadline else { return }
        let due = max(now + .microseconds(1), Self.time(deadline))
        nodes[number].turnAt = due
        plan(.nodeTurns(number), at: due)
    }

    private func perform(_ actions: inout [NodeControlAction], of number: Int) {
        while !actions.isEmpty {
            let due = actions
            actions = []
            for action in due { perform(action, of: number, into: &actions) }
        }
    }

    private func perform(
        _ action: NodeControlAction, of number: Int, into later: inout [NodeControlAction]
    ) {
        switch action {
        case .apply(let records, _):
            if let last = records.last { apply(last.mark, at: number, into: &later) }
        case .forget(let mark, _, _): apply(mark, at: number, into: &later)
        case .sendControl(let frame):
            plan(.toPublisher(number, frame), after: Self.delay)
        case .resubscribe, .subscribe: publisher.subscribed(now: Self.instant(now))
        case .topology(let frame):
            nodes[number].topologyVersion = Self.version(ofTopology: frame)
        case .fatal(let sentence): preconditionFailure(sentence)
        case .lives, .settle, .setStanding, .reconnectControl, .connectControl, .published,
            .headKnown, .configuration, .leave, .report:
            break
        }
    }

    private func apply(
        _ mark: LogMark, at number: Int, into actions: inout [NodeControlAction]
    ) {
        nodes[number].control.shardApplied(
            ShardIndex(0), mark: mark, now: Self.instant(now), into: &actions)
    }

    // MARK: Versions of the topology

    /// The publisher says which is the newest.
    private func noteHeartbeat(_ frame: [UInt8]) {
        newestTopology = Self.decoded(frame) {
            try Heartbeat(decoding: $0.body).versions.topologyVersion
        }
    }

    private static func version(ofTopology frame: [UInt8]) -> UInt32 {
        decoded(frame) { try TopologyReport(decoding: $0).version }
    }

    private static func decoded(
        _ frame: [UInt8], _ read: (MessageView) throws -> UInt32
    ) -> UInt32 {
        do throws(Violation) {
            return try SentFrame.decoded(frame, read)
        } catch {
            preconditionFailure(error.sentence)
        }
    }
}
