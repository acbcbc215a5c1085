import CacheConfiguration
import CacheModel
import CacheNodeCore
import CacheWire
import Logging
import Threading
import ZeroMQ

/// The event loop of a node's control thread: the subscription, the connection to the publisher,
/// and the shards' messages, around one ``CacheNodeCore/NodeControlCore``; beside it the
/// ``MemoryWatch``.
struct ControlLoop: ~Copyable {
    struct Setup: Sendable {
        var identity: NodeControlIdentity
        /// Not empty.
        var publishers: [PublisherPlace]
        var seed: UInt64
        var context: Context
        var mailbox: Mailbox<ControlLetter>
        var shards: [Mailbox<ShardLetter>]
        var origins: Mailbox<OriginLetter>
        /// `nil`: the node is not warmed up.
        var warmUp: Mailbox<WarmUpLetter>?
        /// Whether the shards open disk tiers first.
        var hasDisks: Bool
        /// `nil`: memory pressure is ignored.
        var memory: MemoryWatch.Setup?
        var logger: Logger
        var ended: Promise<NodeEnd>

        /// Of several publishers, the live endpoint comes with the WELCOME of the one that leads.
        fileprivate var firstLive: Endpoint? { publishers.count == 1 ? publishers[0].live : nil }
    }

    private static let messagesPerTurnMax = 256

    private let setup: Setup
    private var core: NodeControlCore
    private var memory: MemoryWatch?
    private var descriptors = DescriptorWatch()
    private var warmUp: WarmUpSummons
    private var live: Socket
    /// `nil`: of several publishers, the one that leads is not known yet, or its live endpoint
    /// cannot be used.
    private var liveEndpoint: Endpoint?
    private var control: Socket
    private var controlEndpoint: Endpoint
    /// Whether it is to the publisher that the core addresses.
    private var isControlOpen = true
    private var frame = Frame()
    private var actions: [NodeControlAction] = []
    private var end: NodeEnd?
    private var isReconnected = false
    /// The end of the lease that the origin thread knows.
    private var leaseTold: Instant?

    /// Loops until told to stop, or until the publisher says that this node can never work.
    static func run(_ setup: Setup) {
        do {
            let live = try subscribe(setup.context, to: setup.firstLive)
            let control = try connect(
                setup.context, to: setup.publishers[0].control,
                isOneOfSeveral: setup.firstLive == nil)
            var loop = ControlLoop(setup, live: live, control: control)
            try loop.loop()
            setup.ended.fulfil(loop.end ?? .stopped)
        } catch {
            setup.logger.error("the control thread ended: \(error)")
            setup.ended.fulfil(.failed("the control thread ended: \(error)"))
        }
    }

    private init(_ setup: Setup, live: consuming Socket, control: consuming Socket) {
        self.setup = setup
        self.live = live
        self.control = control
        (liveEndpoint, controlEndpoint) = (setup.firstLive, setup.publishers[0].control)
        core = NodeControlCore(
            identity: setup.identity, publishers: setup.publishers.map(PublisherAddress.init),
            seed: setup.seed)
        warmUp = WarmUpSummons(node: setup.identity.node, mailbox: setup.warmUp)
        memory = setup.memory.map {
            MemoryWatch($0, shards: setup.shards, logger: setup.logger)
        }
    }

    /// - Parameter endpoint: `nil`: the socket receives nothing.
    private static func subscribe(
        _ context: Context, to endpoint: Endpoint?
    ) throws(ZeroMQError) -> Socket {
        let socket = try Socket(context, .sub)
        try socket.subscribe(prefix: MessageHeader.topic(of: .records))
        try socket.subscribe(prefix: MessageHeader.topic(of: .heartbeat))
        if let endpoint { try socket.connect(endpoint) }
        return socket
    }

    /// - Parameter isOneOfSeveral: whether messages wait for the connection: HELLO is sent at once,
    ///   and not repeated there. Otherwise they are dropped until it stands.
    private static func connect(
        _ context: Context, to endpoint: Endpoint, isOneOfSeveral: Bool
    ) throws(ZeroMQError) -> Socket {
        let socket = try Socket(context, .dealer)
        if isOneOfSeveral { try socket.set(.immediate, to: false) }
        // Long enough for a BYE to leave, so that the publisher does not wait for this node.
        try socket.set(.linger, to: .milliseconds(200))
        try socket.connect(endpoint)
        return socket
    }

    private mutating func loop() throws {
        if setup.hasDisks { try awaitDisks() }
        memory?.start(now: MonotonicClock.now)
        core.start(now: MonotonicClock.now, into: &actions)
        try perform()
        while end == nil {
            var poller = Poller()
            let mail = poller.add(setup.mailbox.wakeup)
            _ = poller.add(live, for: .readable)
            _ = poller.add(control, for: .readable)
            isReconnected = false
            while end == nil && !isReconnected {
                _ = try poller.wait(timeout: timeout)
                try turn(hasMail: poller.isReady(mail))
            }
        }
    }

    /// Waits until every shard's disk tier is open, or given up for now, and begins where they are.
    private mutating func awaitDisks() throws {
        var poller = Poller()
        _ = poller.add(setup.mailbox.wakeup)
        var shards = DiskRoll(shardCount: setup.shards.count)
        var others: [ControlLetter] = []
        while !shards.isComplete, end == nil {
            _ = try poller.wait(timeout: nil)
            for letter in setup.mailbox.takeAll() {
                switch letter {
                case .diskReady(let shard, let place): shards.note(place, of: shard)
                case .pulse(let pulse): pulse.beat()
                case .report(let tell): tell(core.statistics)
                case .stop: end = end ?? .stopped
                default: others.append(letter)
                }
            }
        }
        begin(shards)
        // What came meanwhile was for the core that begins now.
        for letter in others { take(letter, now: MonotonicClock.now) }
    }

    /// Begins where the least of the shards' disk tiers was, or as a new node.
    private mutating func begin(_ shards: DiskRoll) {
        guard let place = shards.common else { return post(.resume(at: nil)) }
        core = NodeControlCore(
            identity: setup.identity, publishers: setup.publishers.map(PublisherAddress.init),
            resuming: LogResumption(log: place.log, mark: place.mark), seed: setup.seed)
        post(.resume(at: place.mark))
        for shard in shards.beginners {
            setup.shards[shard.rawValue].post(
                .forget(continuingFrom: place.mark, of: place.log, isPending: false))
        }
        setup.logger.info(
            "continues at the position of its disk tiers",
            metadata: ["log": "\(place.log)", "at": "\(place.mark.position)"])
    }

    private var timeout: Duration? {
        let deadlines = [core.nextDeadline, memory?.nextDeadline, descriptors.nextLook]
            .compactMap(\.self)
        guard let deadline = deadlines.min() else { return nil }
        return deadline.elapsed(since: MonotonicClock.now)
    }

    private mutating func turn(hasMail: Bool) throws {
        core.beginTurn(calendar: CalendarClock.now, now: MonotonicClock.now, into: &actions)
        takeLetters(isHeard: hasMail)
        try perform()
        try receiveLive()
        try perform()
        try receiveControl()
        try perform()
        core.tick(now: MonotonicClock.now, into: &actions)
        core.endTurn(now: MonotonicClock.now, into: &actions)
        try perform()
        memory?.tick(now: MonotonicClock.now)
        countDescriptors(now: MonotonicClock.now)
    }

    private mutating func countDescriptors(now: Instant) {
        guard let look = descriptors.look(now: now) else { return }
        // One of them tells, so that the sum over the shards is the node's.
        setup.shards[0].post(.descriptors(look.usage))
        guard let notice = look.notice else { return }
        setup.logger.log(level: notice.isAlarm ? .warning : .notice, "\(notice.sentence)")
    }

    /// Takes what rang and what was left without ringing.
    private mutating func takeLetters(isHeard: Bool) {
        for letter in setup.mailbox.takeAll(isHeard: isHeard) {
            take(letter, now: MonotonicClock.now)
        }
    }

    private mutating func take(_ letter: ControlLetter, now: Instant) {
        switch letter {
        case .publish(let request): core.publish(request, now: now, into: &actions)
        case .askHead(let shard, let number):
            core.askHead(shard, number: number, now: now, into: &actions)
        case .applied(let shard, let mark):
            core.shardApplied(shard, mark: mark, now: now, into: &actions)
        case .memory(let shard, let bytes):
            memory?.measured(shard, residentBytes: bytes, now: now)
        case .drain:
            warmUp.leave()
            core.drain(now: now, into: &actions)
        case .gives: core.shardGives(now: now)
        case .drained(let shard): core.shardDrained(shard)
        // Told once at the start, before the core began.
        case .diskReady: break
        case .pulse(let pulse): pulse.beat()
        case .report(let tell): tell(core.statistics)
        case .stop:
            core.stop(now: now, into: &actions)
            end = end ?? .stopped
        }
    }

    private mutating func receiveLive() throws {
        var taken = 0
        while taken < Self.messagesPerTurnMax, try live.receive(into: &frame) {
            taken += 1
            core.receivedLive(frame: frame.bytes, now: MonotonicClock.now, into: &actions)
        }
    }

    private mutating func receiveControl() throws {
        var taken = 0
        while taken < Self.messagesPerTurnMax, try control.receive(into: &frame) {
            taken += 1
            core.receivedControl(frame: frame.bytes, now: MonotonicClock.now, into: &actions)
        }
    }

    private mutating func perform() throws {
        while !actions.isEmpty {
            let due = actions
            actions.removeAll(keepingCapacity: true)
            for action in due { try perform(action) }
        }
    }

    private mutating func perform(_ action: NodeControlAction) throws {
        switch action {
        case .lives(let previous): post(.lives(previous: previous))
        case .apply(let records, let isAwaited): post(.apply(records, isAwaited: isAwaited))
        case .forget(let mark, _, let isPending):
            post(.forget(continuingFrom: mark, of: core.log, isPending: isPending))
        case .settle(let touched, let mark): post(.settle(touched, from: mark))
        case .setStanding(let standing):
            post(.standing(standing))
            warmUp.standing(standing)
            tellLease(standing.wasGrantedLease ? standing.leaseExpiresAt : nil)
        case .topology(let frame):
            post(.topology(frame: frame))
            setup.origins.post(.topology(frame: frame))
            warmUp.topology(frame: frame)
        case .configuration(let revision, let text): configure(revision, text)
        case .published(let shard, let ticket, let result):
            let position = position(of: result)
            // The origin thread's writes belong to no shard.
            guard shard.rawValue < setup.shards.count else {
                return setup.origins.post(.published(ticket: ticket, position: position))
            }
            setup.shards[shard.rawValue].post(.published(ticket: ticket, position: position))
        case .headKnown(let shard, let number, let head):
            setup.shards[shard.rawValue].post(.headKnown(number: number, head: head))
        case .sendControl(let bytes):
            guard isControlOpen else { return }
            // Not connected, or not read: the core repeats what is not answered.
            _ = try bytes.withUnsafeBytes { (bytes) throws(ZeroMQError) in
                try control.send(bytes, more: false)
            }
        case .resubscribe:
            do throws(ZeroMQError) {
                live = try Self.subscribe(setup.context, to: liveEndpoint)
                isReconnected = true
            } catch {
                try bear(error)
            }
        case .subscribe(let text): try subscribe(to: text)
        case .reconnectControl:
            do throws(ZeroMQError) {
                control = try Self.connect(
                    setup.context, to: controlEndpoint, isOneOfSeveral: false)
                isReconnected = true
            } catch {
                try bear(error)
            }
        case .connectControl(let text): connect(to: text)
        case .fatal(let sentence): end = .refused(sentence)
        // The lease is kept and answers go on until `stop`, which comes once the shards have ended.
        case .leave: setup.ended.fulfil(.drained)
        case .report(let report): ControlReportLog.write(report, to: setup.logger)
        }
    }

    /// Turns to another publisher. An endpoint that cannot be used is reported back: it came in a
    /// message, or this process has no descriptor left.
    private mutating func connect(to text: String) {
        do {
            let endpoint = try Endpoint(text, for: .connecting)
            control = try Self.connect(setup.context, to: endpoint, isOneOfSeveral: true)
            controlEndpoint = endpoint
            (isControlOpen, isReconnected) = (true, true)
        } catch {
            isControlOpen = false
            core.cannotConnect(
                to: text, because: "\(error)", now: MonotonicClock.now, into: &actions)
        }
    }

    /// Subscribes to another publisher. Without a live endpoint that can be used, the node follows
    /// by its PINGs.
    private mutating func subscribe(to text: String) throws(ZeroMQError) {
        do {
            let endpoint = try Endpoint(text, for: .connecting)
            // Also if it fails for want of descriptors: it is subscribed to later.
            liveEndpoint = endpoint
            live = try Self.subscribe(setup.context, to: endpoint)
            isReconnected = true
        } catch let error as ZeroMQError where error.isOutOfDescriptors {
            try bear(error)
        } catch {
            setup.logger.warning(
                """
                the live endpoint that the publisher names cannot be used, so invalidations arrive \
                late: correct live-endpoint in its configuration
                """, metadata: ["endpoint": "\(text)", "why": "\(error)"])
            liveEndpoint = nil
            do throws(ZeroMQError) {
                live = try Self.subscribe(setup.context, to: nil)
                isReconnected = true
            } catch {
                try bear(error)
            }
        }
    }

    /// Goes on with the old socket where there is no descriptor for a new one: the core asks again.
    private func bear(_ error: ZeroMQError) throws(ZeroMQError) {
        guard error.isOutOfDescriptors else { throw error }
        setup.logger.warning("the publisher cannot be reconnected to: \(error)")
    }

    /// The position a shard's scopes were invalidated at; `nil`, and a line in the log, if they
    /// were not as far as is known.
    private func position(of result: Result<LogPosition, PublishFailure>) -> LogPosition? {
        switch result {
        case .success(let position): return position
        case .failure(let failure):
            setup.logger.warning("an invalidation failed: \(failure)")
            return nil
        }
    }

    private mutating func tellLease(_ end: Instant?) {
        guard end != leaseTold else { return }
        leaseTold = end
        setup.origins.post(.lease(until: end))
    }

    private func post(_ letter: ShardLetter) {
        for shard in setup.shards { shard.post(letter) }
    }

    /// Hands a configuration to the shards; one that cannot be read leaves the old one in force.
    private mutating func configure(_ revision: UInt32, _ text: String) {
        do {
            let configuration = try ClusterConfiguration.parse(text, fileName: "configuration")
            post(
                .config(
                    ConfigReport(revision: revision, text: text),
                    ShardPolicies(
                        policies: configuration.namespaces, fallback: configuration.defaults)))
            setup.origins.post(
                .policies(configuration.namespaces.compactMapValues(\.origin)))
            setup.logger.info("configuration \(revision) in force")
        } catch {
            let effect =
                core.configurationUnreadable()
                ? "the last one stays"
                : "until there is one that can, the node stores nothing and serves nothing as "
                    + "fresh; upgrade it, or take the setting out"
            setup.logger.error("configuration \(revision) cannot be read; \(effect): \(error)")
        }
    }
}
