import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire
import PublisherCore
import SharedLogCore

/// The process of one of several publishers: its start and end, and its thread, which has a core
/// for the length of a term. The counterpart of the server's loop on etcd.
///
///     StoreService ── outcome ─▶ SharedLogKeeper ── news ─▶ PublishingCore ── actions ─▶ sockets
///          ◀───────── request ──────────┘ ◀───── letters ───────┘
struct SharedPublisherProcess: WorldPart {
    let nodes: SimulatedNodes
    let store: StoreService
    let ledger: StoreLedger
    let configuration: ClusterConfiguration
    let judges: Judges
    let channels: PublisherChannels

    var timeline: Timeline { nodes.timeline }
    var publishers: SimulatedPublishers { nodes.publishers }

    // MARK: Start and end

    func start(_ publisher: SimulatedPublisher) {
        guard !publisher.isUp else { return }
        publisher.open()
        publisher.upSince = now
        publisher.connectWriter()
        var standing = SharedStanding()
        (standing.process, standing.furthest) = (
            publisher.shared.process + 1, publisher.shared.furthest
        )
        let lease = settings.leaseMilliseconds
        let isShort = timeline.separate.shared.chance(perMille: 300) && lease >= 1_000
        standing.lease = .milliseconds(isShort ? lease / 3 : lease)
        var keeper = SharedLogKeeper(
            StoreLedger.keys,
            (
                own: publisher.endpoints,
                owner: PrefixOwner(
                    members: publishers.all.map { ($0.endpoints.publisher, $0.endpoints.control) })
            ),
            FollowedLog.Bounds(
                freshID: LogID(timeline.separate.shared.next() | 1),
                recordsMax: settings.logRecordsMax, bytesMax: settings.shared?.bytesMax ?? 0),
            (furthest: standing.furthest, seed: timeline.separate.shared.next()),
            now: publisher.clock.reading(at: now))
        keeper.guards = settings.guards
        standing.keeper = keeper
        publisher.shared = standing
        publisher.standby = StandbyCore()
        for run in nodes.alive {
            let pause = timeline.separate.shared.number(in: 100...100_000)
            timeline.add(.reconnects(run: run.number), at: now + .microseconds(pause))
        }
        count(.publisherStarts)
        note(.publisher, "starts as publisher", publisher.index)
        publisher.wake(at: soon())
    }

    /// kill -9.
    ///
    /// - Parameter losesDisk: whether what it has seen of the log is lost.
    func die(_ publisher: SimulatedPublisher, losesDisk: Bool) {
        guard publisher.isUp else { return }
        note(.publisher, "dies, publisher", publisher.index)
        if losesDisk { publisher.shared.furthest = .none }
        end(publisher)
    }

    func end(_ publisher: SimulatedPublisher) {
        publisher.end()
        (publisher.shared.keeper, publisher.shared.isLeading) = (nil, false)
        (publisher.shared.answers, publisher.shared.letters) = ([], [])
        for run in nodes.alive where run.connection.publisher == publisher.index {
            nodes.loseConnections(run)
        }
        let pause = timeline.separate.shared.number(in: 100_000...3_000_000)
        timeline.add(.publisherStarts(publisher.index), at: now + .microseconds(pause))
    }

    /// SIGTERM, or an operator's order to step down, which only a leader takes.
    func leave(_ publisher: SimulatedPublisher, isStopping: Bool) {
        guard publisher.runs, publisher.shared.leaving == nil,
            isStopping || publisher.shared.isLeading
        else { return }
        note(.publisher, "is to leave, publisher", publisher.index)
        publisher.shared.leaving = (isStopping, ())
        publisher.shared.letters.append(.resign(isStopping: isStopping))
        publisher.wake(at: soon())
    }

    // MARK: The thread

    func turn(_ publisher: SimulatedPublisher) throws(Violation) {
        guard publisher.turnAt == now else { return }
        publisher.turnAt = nil
        guard publisher.runs, publisher.shared.keeper != nil else { return }
        publishers.acting = publisher
        publisher.memory.proven = []
        var actions: [PublisherAction] = []
        let answers = publisher.shared.answers
        publisher.shared.answers = []
        for (purpose, outcome) in answers {
            try keep(publisher, into: &actions) { $0.finished(purpose, outcome, now: $1) }
        }
        try keep(publisher, into: &actions) { $0.tick(now: $1) }
        try takeFrames(publisher, into: &actions)
        try act(publisher, &actions)
        guard publisher.isUp else { return }
        planNextTurn(publisher)
    }

    private func takeFrames(
        _ publisher: SimulatedPublisher, into actions: inout [PublisherAction]
    ) throws(Violation) {
        let clock = publisher.clock.reading(at: now)
        let frames = publisher.frames
        let subscriptionCount = publisher.subscriptionCount
        (publisher.frames, publisher.subscriptionCount) = ([], 0)
        guard publisher.shared.isLeading, publisher.shared.leaving == nil else {
            for (peer, frame) in frames { try turnAway(frame, from: peer, publisher) }
            guard publisher.shared.isLeading else { return }
            return tick(publisher, into: &actions)
        }
        let epochs = publisher.core.statistics.epochsOpened
        for (peer, frame) in frames {
            try channels.note(frame, from: peer)
            frame.withUnsafeBytes {
                publisher.core.received(
                    $0, from: RequestSender(PublisherChannels.peer(peer)), now: clock,
                    into: &actions)
            }
        }
        for _ in 0..<subscriptionCount { publisher.core.subscribed(now: clock) }
        tick(publisher, into: &actions)
        try judges.log.judgeBeginning()
        count(.epochs, Int(publisher.core.statistics.epochsOpened - epochs))
    }

    private func tick(
        _ publisher: SimulatedPublisher, into actions: inout [PublisherAction]
    ) {
        let clock = publisher.clock.reading(at: now)
        publisher.core.tick(now: clock, into: &actions)
        publisher.core.log.want(
            lease: publisher.core.longestLease(now: clock), now: clock)
    }

    /// Answers as a publisher that does not lead, or gives its leadership up.
    private func turnAway(
        _ frame: [UInt8], from peer: UInt32, _ publisher: SimulatedPublisher
    ) throws(Violation) {
        var leaving = StandbyCore()
        if !publisher.shared.isLeading { swap(&leaving, &publisher.standby) }
        let clock = publisher.clock.reading(at: now)
        var actions: [PublisherAction] = []
        frame.withUnsafeBytes {
            leaving.received(
                $0, from: RequestSender(PublisherChannels.peer(peer)), now: clock,
                status: { publisher.core.report(now: clock).status }, into: &actions)
        }
        if !publisher.shared.isLeading { swap(&leaving, &publisher.standby) }
        for case .reply(let peer, let answer, _) in actions {
            if answer[3] == MessageType.notLeader.rawValue { count(.redirections) }
            try channels.reply(answer, to: peer)
        }
    }

    /// Performs actions and sends letters until none is left.
    private func act(
        _ publisher: SimulatedPublisher, _ actions: inout [PublisherAction]
    ) throws(Violation) {
        repeat {
            let due = actions
            actions = []
            takeOrders(of: publisher)
            guard try perform(due, of: publisher) else { return }
            channels.noteProven()
            let letters = publisher.shared.letters
            publisher.shared.letters = []
            for letter in letters {
                try keep(publisher, into: &actions) { $0.take(letter, now: $1) }
            }
            takeOrders(of: publisher)
            if publisher.shared.isLeading, publisher.core.log.isBegun, judges.log.noteTold() {
                judges.lives.noteEpoch()
            }
        } while !actions.isEmpty || !publisher.shared.letters.isEmpty
    }

    private func planNextTurn(_ publisher: SimulatedPublisher) {
        var due = [publisher.shared.keeper?.nextDue].compactMap(\.self)
        if publisher.shared.isLeading { due.append(publisher.core.nextDeadline) }
        guard let next = due.min() else { return }
        publisher.wake(at: max(soon(), publisher.clock.time(of: next)))
    }

    // MARK: The keeper

    /// Passes an event to the keeper, and hears what it says.
    private func keep(
        _ publisher: SimulatedPublisher, into actions: inout [PublisherAction],
        _ event: (inout SharedLogKeeper, Instant) -> [SharedLogKeeper.Action]
    ) throws(Violation) {
        guard var keeper = publisher.shared.keeper else { return }
        publisher.shared.keeper = nil
        let due = event(&keeper, publisher.clock.reading(at: now))
        publisher.shared.keeper = keeper
        for action in due {
            switch action {
            case .send(let purpose, let request):
                store.send(purpose, request, from: publisher)
            case .keep(let mark): publisher.shared.furthest = mark
            case .tell(let news): try hear(news, publisher, into: &actions)
            }
        }
    }

    func takeOrders(of publisher: SimulatedPublisher) {
        guard publisher.shared.isLeading, let term = publisher.shared.term?.term else { return }
        for order in publisher.core.log.takeOrders() {
            publisher.shared.letters.append(.write(order, of: term))
        }
    }

    // MARK: Going out

    /// - Returns: whether the process continues.
    private func perform(
        _ actions: [PublisherAction], of publisher: SimulatedPublisher
    ) throws(Violation) -> Bool {
        let isFatal =
            settings.shared?.faults.contains(.deaths) == true && !isCalm && !actions.isEmpty
            && timeline.separate.shared.chance(perMille: 1)
        let part = isFatal ? timeline.separate.shared.below(actions.count) : actions.count
        for action in actions.prefix(part) { try perform(action, of: publisher) }
        if isFatal { die(publisher, losesDisk: false) }
        return !isFatal
    }

    func perform(
        _ action: PublisherAction, of publisher: SimulatedPublisher
    ) throws(Violation) {
        switch action {
        case .broadcast(let frame): try channels.broadcast(frame)
        case .reply(let peer, let frame, _): try channels.reply(frame, to: peer)
        case .keep(let bytes): order(.store(.pacings, bytes), publisher)
        case .keepLives(let bytes): order(.store(.runs, bytes), publisher)
        case .keepSlots(let bytes): order(.store(.slots, bytes), publisher)
        case .keepCluster(let cluster): order(.store(.identity, cluster.bytes), publisher)
        case .confirm(let number):
            guard let term = publisher.shared.term?.term else { return }
            publisher.shared.letters.append(.confirm(number, of: term))
        case .stepDown: leave(publisher, isStopping: false)
        case .audit: break  // No client asks for an audit here.
        }
    }

    func order(_ order: SharedLogWriter.Order, _ publisher: SimulatedPublisher) {
        guard let term = publisher.shared.term?.term else { return }
        publisher.shared.letters.append(.write(order, of: term))
    }
}
