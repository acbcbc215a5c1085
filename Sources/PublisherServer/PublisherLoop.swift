import CacheInvalidation
import CacheModel
import CacheWire
import Logging
import PublisherCore
import Threading
import ZeroMQ

/// What the publisher's thread owns: both sockets and the mind between them.
///
/// A turn waits until something came in or the mind's deadline is near, hands in at most
/// ``PublisherServerLimits/messagesPerTurn`` messages of each channel, ends the turn, and does
/// what the mind wants. Sending never waits: who is slow or gone loses it.
struct PublisherLoop: ~Copyable {
    private let control: Socket
    private let live: Socket
    private let logger: Logger
    private var mind: PublisherMind<MemoryLog>
    private var advertised: PublisherEndpoints
    private var actions: [PublisherAction] = []
    private var name = Frame()
    private var frame = Frame()
    /// Where it listens in truth.
    let bound: PublisherEndpoints

    /// Opens and binds both sockets.
    init(
        _ options: PublisherOptions, in context: Context, topologyVersion: UInt32, logger: Logger
    ) throws(PublisherStartError) {
        guard let liveWanted = options.effectiveLive else {
            throw .noLiveEndpoint(control: options.control)
        }
        let control = try Self.opened(context, Self.openControl)
        let live = try Self.opened(context, Self.openLive)
        let bound = PublisherEndpoints(
            control: try Self.bind(control, to: options.control),
            live: try Self.bind(live, to: liveWanted))
        self.bound = bound
        advertised = PublisherEndpoints(
            control: options.advertisedControl ?? bound.control,
            live: options.advertisedLive ?? bound.live)
        var dice = SystemRandomNumberGenerator()
        let freshID = LogID(UInt64.random(in: 1...UInt64.max, using: &dice))
        mind = PublisherMind(
            plan: Self.plan(options.plan, advertised),
            log: MemoryLog(
                id: freshID, recordsMax: options.retentionRecordsMax,
                bytesMax: options.retentionBytesMax),
            freshID: freshID, topologyVersion: topologyVersion, now: MonotonicClock.now)
        self.logger = logger
        self.control = control
        self.live = live
    }

    /// Runs until it is told to stop or the context ends.
    mutating func run(_ mailbox: Mailbox<PublisherLetter>) throws(ZeroMQError) {
        var poller = Poller()
        let bell = poller.add(mailbox.wakeup)
        _ = poller.add(control, for: .readable)
        _ = poller.add(live, for: .readable)
        while true {
            _ = try poller.wait(timeout: timeLeft)
            if poller.isReady(bell), try obey(mailbox.takeAll()) { return }
            let before = mind.statistics
            try takeRequests()
            try takeSubscriptions()
            mind.tick(now: MonotonicClock.now, into: &actions)
            try act()
            report(since: before)
        }
    }

    private var timeLeft: Duration {
        min(mind.nextDeadline.elapsed(since: MonotonicClock.now), PublisherServerLimits.waitMax)
    }

    private static func plan(
        _ plan: PublisherPlan, _ endpoints: PublisherEndpoints
    ) -> PublisherPlan {
        var plan = plan
        plan.controlEndpoint = endpoints.control.description
        plan.liveEndpoint = endpoints.live.description
        return plan
    }

    // MARK: Coming in

    /// - Returns: whether it is time to end.
    private mutating func obey(_ letters: [PublisherLetter]) throws(ZeroMQError) -> Bool {
        for letter in letters {
            switch letter {
            case .reload(let plan):
                mind.configurationChanged(to: Self.plan(plan, advertised), now: MonotonicClock.now)
                logger.info(
                    "configuration reloaded",
                    metadata: ["revision": "\(plan.configuration.revision)"])
            case .stop:
                mind.stop(into: &actions)
                let isAwaited = !actions.isEmpty
                try act()
                if isAwaited { try sayFarewell() }
                return true
            }
        }
        return false
    }

    /// Keeps the ports open while the last replies are read.
    private func sayFarewell() throws(ZeroMQError) {
        // Nobody rings this one: it only gives the poller something to wait for.
        var poller = Poller()
        _ = poller.add(try Wakeup())
        _ = try poller.wait(timeout: PublisherServerLimits.farewell)
    }

    private mutating func takeRequests() throws(ZeroMQError) {
        for _ in 0..<PublisherServerLimits.messagesPerTurn {
            guard try control.receive(into: &name) else { return }
            // A ROUTER's messages begin with the peer's name; an empty rest is not one of ours.
            guard name.hasMore, try control.receive(into: &frame), !frame.hasMore,
                let peer = PeerID(name.bytes)
            else {
                while frame.hasMore, try control.receive(into: &frame) {}
                mind.passedOver()
                continue
            }
            mind.received(frame.bytes, from: peer, now: MonotonicClock.now, into: &actions)
        }
    }

    private mutating func takeSubscriptions() throws(ZeroMQError) {
        for _ in 0..<PublisherServerLimits.messagesPerTurn {
            guard try live.receive(into: &frame) else { return }
            // 1 and a topic subscribes, 0 and a topic unsubscribes; anything else is noise.
            if frame.bytes.first == 1 { mind.subscribed(now: MonotonicClock.now) }
        }
    }

    // MARK: Going out

    private mutating func act() throws(ZeroMQError) {
        for action in actions {
            switch action {
            case .broadcast(let bytes):
                _ = try Self.send(bytes, on: live)
            case .reply(let peer, let bytes):
                let outcome = try peer.withUnsafeBytes { name throws(ZeroMQError) in
                    try control.send(name, more: true)
                }
                guard outcome == .sent else {
                    mind.statistics.repliesDropped += 1
                    continue
                }
                _ = try Self.send(bytes, on: control)
            }
        }
        actions.removeAll(keepingCapacity: true)
    }

    private static func send(
        _ bytes: [UInt8], on socket: borrowing Socket
    ) throws(ZeroMQError) -> SendOutcome {
        var frame = Frame(copying: bytes)
        return try socket.send(&frame, more: false)
    }

    /// What an operator should know of a turn.
    private func report(since before: PublisherStatistics) {
        let after = mind.statistics
        if after.historiesContinued > before.historiesContinued {
            logger.notice(
                "the log continues where the nodes stand",
                metadata: ["head": "\(mind.log.head.position)"])
        }
        if after.epochsOpened > before.epochsOpened {
            logger.warning(
                "a new epoch: a node knew more than the log, and every node hides what it holds",
                metadata: ["head": "\(mind.log.head.position)"])
        }
    }
}

// MARK: - Sockets

extension PublisherLoop {
    private static func opened(
        _ context: Context, _ open: (Context) throws(ZeroMQError) -> Socket
    ) throws(PublisherStartError) -> Socket {
        do throws(ZeroMQError) {
            return try open(context)
        } catch {
            throw .other(error)
        }
    }

    private static func openControl(_ context: Context) throws(ZeroMQError) -> Socket {
        let socket = try Socket(context, .router)
        try socket.set(.maxMessageBytes, to: WireLimits.frameBytesMax)
        try socket.set(.sendHighWaterMark, to: PublisherServerLimits.controlQueueMax)
        try socket.set(
            .receiveHighWaterMark, to: .messages(PublisherServerLimits.controlQueueMax))
        try socket.set(.linger, to: PublisherServerLimits.linger)
        return socket
    }

    private static func openLive(_ context: Context) throws(ZeroMQError) -> Socket {
        let socket = try Socket(context, .xpub)
        try socket.set(.maxMessageBytes, to: PublisherServerLimits.subscriptionBytesMax)
        try socket.set(.sendHighWaterMark, to: PublisherServerLimits.liveQueueMax)
        try socket.set(
            .receiveHighWaterMark, to: .messages(PublisherServerLimits.controlQueueMax))
        // Every subscriber is told the head at once, not only a topic's first.
        try socket.set(.xpubVerbose, to: true)
        return socket
    }

    private static func bind(
        _ socket: borrowing Socket, to endpoint: Endpoint
    ) throws(PublisherStartError) -> Endpoint {
        do throws(ZeroMQError) {
            return try socket.bind(endpoint)
        } catch {
            throw PublisherStartError(binding: endpoint, error)
        }
    }
}
