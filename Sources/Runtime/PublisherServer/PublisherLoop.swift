import AccessControl
import ByteCoding
import CacheAccess
import CacheInvalidation
import CacheModel
import CacheWire
import Storage
import Logging
import PublisherCore
import Threading
import ZeroMQ

/// The state of the publisher's thread: both sockets and the core between them.
///
/// A turn waits for input or for the core's deadline. It hands at most
/// ``PublisherServerLimits/messagesPerTurn`` messages of each channel to the core, ends the core's
/// turn, and executes the core's actions. Sending never blocks: a frame to a peer that is slow or
/// gone is dropped.
struct PublisherLoop<Log: InvalidationLog>: ~Copyable {
    private let control: Socket
    private var live: LiveChannel
    /// The access table in force, where access control is on.
    private var access: AccessTable?
    private var untaken = UntakenReplies()
    let logger: Logger
    private let audit: AuditLog?
    var core: PublishingCore<Log>
    var files: KeptFiles
    private var advertised: PublisherEndpoints
    private var actions: [PublisherAction] = []
    private var name = Frame()
    private var frame = Frame()
    /// The bound endpoints: first those that are advertised, then those with the second key.
    let bound: [PublisherEndpoints]
    private var descriptors = DescriptorWatch()
    var members = MembersWatch()
    var duplicates = DuplicatesWatch()
    /// `nil` where access control is off.
    private let gatekeeper: Gatekeeper?

    /// The loop's surroundings: its logger, its gatekeeper if clients need keys, and the guard that
    /// keeps the last descriptors free, if there is one.
    typealias Surroundings = (
        logger: Logger, gatekeeper: Gatekeeper?, connections: DescriptorGuard?
    )

    /// Opens and binds both sockets.
    init(
        _ options: PublisherOptions, in context: Context, _ kept: PublisherLog<Log>,
        topologyVersion: UInt32, _ surroundings: Surroundings
    ) throws(PublisherStartError) {
        let logger = surroundings.logger
        let connections = surroundings.connections
        gatekeeper = surroundings.gatekeeper
        guard let liveWanted = options.effectiveLive else {
            throw .noLiveEndpoint(control: options.control)
        }
        let control = try PublisherSockets.control(context, connections)
        let live = try PublisherSockets.live(context, connections)
        let first = PublisherEndpoints(
            control: try PublisherSockets.bind(control, to: options.control, .control),
            live: try PublisherSockets.bind(live, to: liveWanted, .live))
        var bound = [first]
        if let second = options.access?.second {
            precondition(second.endpoints.count == 2, "a publisher has two sockets")
            bound.append(
                PublisherEndpoints(
                    control: try PublisherSockets.bind(
                        control, to: second.endpoints[0], .control, second.keys),
                    live: try PublisherSockets.bind(
                        live, to: second.endpoints[1], .live, second.keys)))
        }
        self.bound = bound
        advertised = PublisherEndpoints(
            control: Self.advertised(options.advertisedControl, for: first.control),
            live: Self.advertised(options.advertisedLive, for: first.live))
        files = KeptFiles(kept.keeper, logger)
        core = PublishingCore(
            plan: options.plan.listening(at: advertised), log: kept.log, freshID: kept.freshID,
            topologyVersion: topologyVersion, now: MonotonicClock.now)
        self.logger = logger
        audit = options.audit
        core.isAudited = audit != nil
        self.control = control
        self.live = LiveChannel(
            live,
            boundTo: zip(bound, [nil, options.access?.second?.keys]).map { ($0.live, $1) },
            in: context, connections, logger)
        if options.access != nil {
            access = .empty
            core.setAccess(.empty)
        }
        resume(kept.pacings)
        resume(lives: kept.nodes)
        resume(cluster: kept.cluster, orElse: kept.freshCluster)
    }

    private mutating func resume(cluster: [UInt8]?, orElse fresh: ClusterID) {
        let known = cluster.flatMap { KeptCluster(reading: $0) }
        core.setCluster(kept: known, fresh: fresh)
        guard cluster != nil, known == nil else { return }
        logger.warning(
            "the file of the cluster's identity is damaged: the nodes are asked for it")
    }

    /// The endpoint that others are told, with the server key of the bound one.
    private static func advertised(_ told: Endpoint?, for bound: Endpoint) -> Endpoint {
        told?.withServerKey(bound.serverKey) ?? bound
    }

    /// Paced invalidations continue, wherever the log stands.
    private mutating func resume(_ pacings: [UInt8]?) {
        guard let pacings else { return }
        guard let count = core.resumePacings(pacings, now: MonotonicClock.now) else {
            logger.error(
                """
                the file of the paced invalidations is damaged: those that ran are forgotten. What \
                they had not hidden yet is still shown; invalidate it again
                """)
            return
        }
        if count > 0 {
            logger.notice("paced invalidations continue", metadata: ["count": "\(count)"])
        }
    }

    /// The last runs of each node stay known if the log continues.
    private mutating func resume(lives: [UInt8]?) {
        if !core.resumeLives(lives) {
            logger.warning(
                """
                the file of the nodes' runs is damaged: what nodes find on their disks is \
                discarded
                """)
        }
        guard core.hidesEverything else { return }
        logger.warning(
            """
            the cluster may have been of another kind, or its members others: the log has records \
            and no file of the nodes that fits them. What was stored before is hidden
            """)
    }

    /// Runs until it is told to stop or the context ends.
    mutating func run(_ mailbox: Mailbox<PublisherLetter>) throws(ZeroMQError) {
        while true {
            var poller = Poller()
            let bell = poller.add(mailbox.wakeup)
            _ = poller.add(control, for: .readable)
            live.watch(with: &poller)
            while !live.isNew {
                _ = try poller.wait(timeout: timeLeft)
                let before = core.statistics
                if poller.isReady(bell), try handle(mailbox) { return }
                try live.bind()
                try takeRequests()
                try takeSubscriptions()
                core.tick(now: MonotonicClock.now, into: &actions)
                try act()
                countDescriptors(now: MonotonicClock.now)
                saveFloors(now: MonotonicClock.now)
                report(since: before)
            }
        }
    }

    private var timeLeft: Duration {
        let next = min(core.nextDeadline, descriptors.nextLook)
        return min(next.elapsed(since: MonotonicClock.now), live.waitMax)
    }

    // MARK: Coming in

    /// - Returns: whether it is time to end.
    private mutating func handle(
        _ mailbox: Mailbox<PublisherLetter>
    ) throws(ZeroMQError) -> Bool {
        // Letters taken together with the stop are handled before the end: behind the stop may lie
        // an outcome of the log that a client waits for.
        var isEnding = false
        var failure: ZeroMQError?
        for letter in mailbox.takeAll() {
            switch letter {
            case .reload(let plan):
                core.configurationChanged(
                    to: plan.listening(at: advertised), now: MonotonicClock.now)
                files.keeper?.note(
                    leaseMilliseconds: UInt32(clamping: plan.lease.wholeMilliseconds))
                logger.info(
                    "configuration reloaded",
                    metadata: ["revision": "\(plan.configuration.revision)"])
            case .refusedChanges(let count): core.statistics.configRefused = UInt64(count)
            case .access(let table): try admit(table)
            case .log(let news): hear(news)
            case .pulse(let pulse): pulse.beat()
            case .report(let tell): tell(core.report(now: MonotonicClock.now))
            case .stop: isEnding = true
            case .fail(let error):
                isEnding = true
                failure = failure ?? error
            }
        }
        guard isEnding else { return false }
        try end(mailbox)
        if let failure { throw failure }
        return true
    }

    /// Ends in order: pending writes are finished first, so that they can be answered.
    private mutating func end(_ mailbox: Mailbox<PublisherLetter>) throws(ZeroMQError) {
        if let bytes = core.pacingsToKeep { files.keeper?.keep(pacings: bytes) }
        if let bytes = core.livesToKeep { files.keeper?.keep(nodes: bytes) }
        if let cluster = core.clusterToKeep { files.keeper?.keep(cluster: cluster.bytes) }
        files.keeper?.close(saving: core.areFloorsComing ? nil : core.floors)
        for case .log(let news) in mailbox.takeAll() { hear(news) }
        core.stop(into: &actions)
        // Requests that came in meanwhile, or while the last replies are read, are refused.
        try takeRequests()
        guard !actions.isEmpty else { return }
        try act()
        try sayFarewell()
    }

    private mutating func hear(_ news: LogNews) {
        switch news {
        case .ended(let outcome):
            core.appended(outcome, now: MonotonicClock.now, into: &actions)
            logRefuses(outcome.refusal.map { "\($0)" })
        case .refusing(let error): logRefuses(error.map { "\($0)" })
        case .floors(let floors):
            core.floorsArrived(floors)
            logger.info(
                "what the log has touched is known again",
                metadata: ["since": "\(floors.completeSince)", "to": "\(floors.asOf.position)"])
        case .damaged(let damage):
            logger.error(
                "a segment of the log is damaged: it and all before it is no longer kept",
                metadata: ["segment": "\(damage)", "tail": "\(core.log.tail)"])
        case .kept(let error):
            core.kept(error?.description, now: MonotonicClock.now, into: &actions)
            files.report(
                .pacings, error,
                """
                paced invalidations cannot be noted on the disk: those that run go on, and may \
                say slices again after a restart
                """,
                again: "how far paced invalidations are is noted again")
        case .nodesKept(let error, let isGone): hear(nodesKept: error, isGone: isGone)
        case .clusterKept(let error): hear(clusterKept: error)
        case .trouble(let reason):
            logger.error("the log on disk is in trouble", metadata: ["reason": "\(reason)"])
        }
    }

    /// Told once for each failure, not for each invalidation.
    private mutating func logRefuses(_ reason: String?) {
        let wasRefusing = core.statistics.logRefusing > 0
        guard wasRefusing != (reason != nil) else { return }
        core.statistics.logRefusing = reason == nil ? 0 : 1
        if let reason {
            logger.error(
                "invalidations are refused: the log could not be written; replay continues",
                metadata: ["reason": "\(reason)"])
        } else {
            logger.notice("the log is written again")
        }
    }

    private mutating func hear(clusterKept error: LogFileError?) {
        core.clusterKept(error == nil, now: MonotonicClock.now)
        files.report(
            .cluster, error,
            "the cluster's identity cannot be kept on the disk: only the nodes know it",
            again: "the cluster's identity is kept again")
    }

    private mutating func hear(nodesKept error: LogFileError?, isGone: Bool) {
        core.livesKept(
            error?.description, isGone: isGone, now: MonotonicClock.now, into: &actions)
        let consequence =
            isGone
            ? "a publisher that starts now does not know the last ones"
            : "a node that starts now gets no lease until they can be"
        files.report(
            .nodes, error, "the runs of nodes cannot be recorded on the disk: \(consequence)",
            again: "the runs of nodes are recorded again")
    }

    /// Keeps the ports open while the last replies are read.
    private mutating func sayFarewell() throws(ZeroMQError) {
        let end = MonotonicClock.now.advanced(by: PublisherServerLimits.farewell)
        var poller = Poller()
        _ = poller.add(control, for: .readable)
        while MonotonicClock.now < end {
            _ = try poller.wait(timeout: end.elapsed(since: MonotonicClock.now))
            try takeRequests()
            try act()
        }
    }

    private mutating func takeRequests() throws(ZeroMQError) {
        for _ in 0..<PublisherServerLimits.messagesPerTurn {
            guard try control.receive(into: &name) else { return }
            // A ROUTER's messages begin with the peer's name; an empty rest is not one of ours.
            guard name.hasMore, try control.receive(into: &frame), !frame.hasMore,
                let peer = PeerID(name.bytes)
            else {
                while frame.hasMore, try control.receive(into: &frame) {}
                core.passedOver()
                continue
            }
            let principal = access == nil ? nil : frame.userNumber
            let sender = RequestSender(
                peer, principal: PrincipalNumber(rawValue: principal ?? 0),
                address: audit == nil ? "" : frame.peerAddress ?? "")
            core.received(frame.bytes, from: sender, now: MonotonicClock.now, into: &actions)
        }
    }

    private mutating func takeSubscriptions() throws(ZeroMQError) {
        for _ in 0..<PublisherServerLimits.messagesPerTurn {
            guard try live.receive(into: &frame) else { return }
            // 1 and a topic subscribes, 0 and a topic unsubscribes; anything else is noise.
            if frame.bytes.first == 1 { core.subscribed(now: MonotonicClock.now) }
            if case .tooMany(let key) = live.note(frame) {
                return try cutOff(key)
            }
        }
    }

    /// A subscriber asks for topics without end. libzmq keeps them until their connections end, so
    /// all connections are closed. The key with the most topics is banned for a while.
    private mutating func cutOff(_ principal: UInt32?) throws(ZeroMQError) {
        logger.warning(
            """
            a client subscribes to too many topics, of which there are two: the live channel is \
            reopened, and the client's key banned from it for ten minutes
            """,
            metadata: ["key": "\(principal.flatMap { fingerprint(of: $0) } ?? "none")"])
        if let principal { gatekeeper?.ban(PrincipalNumber(rawValue: principal)) }
        try live.reopen()
    }

    private func fingerprint(of principal: UInt32) -> String? {
        access?.entry(of: PrincipalNumber(rawValue: principal))?.key.fingerprint
    }

    // MARK: Rights

    /// Applies a new access table. If a subscriber lost its right to listen, all connections of the
    /// live channel are closed: a single connection cannot be.
    private mutating func admit(_ table: AccessTable) throws(ZeroMQError) {
        let mustCut = access?.followers(lostIn: table) ?? false
        access = table
        core.setAccess(table)
        guard mustCut else { return }
        logger.notice("a key may not follow any more: the live channel is reopened")
        try live.reopen()
    }

    // MARK: Going out

    private mutating func act() throws(ZeroMQError) {
        for action in actions {
            switch action {
            case .broadcast(let bytes):
                try live.broadcast(bytes)
            case .reply(let peer, let bytes, let principal):
                guard var frame = untaken.frame(bytes, to: peer, of: principal) else {
                    core.statistics.repliesDropped += 1
                    continue
                }
                let outcome = try peer.withBytes { name throws(ZeroMQError) in
                    try control.send(name, more: true)
                }
                guard outcome == .sent else {
                    core.statistics.repliesDropped += 1
                    continue
                }
                _ = try control.send(&frame, more: false)
            case .keep(let bytes): files.keeper?.keep(pacings: bytes)
            case .confirm, .stepDown: preconditionFailure("no other publisher leads this log")
            case .keepLives(let bytes): files.keeper?.keep(nodes: bytes)
            case .keepCluster(let kept): files.keeper?.keep(cluster: kept.bytes)
            case .audit(let event): audit?.note(event)
            }
        }
        actions.removeAll(keepingCapacity: true)
    }

    private mutating func saveFloors(now: Instant) {
        guard files.keeper != nil, core.log.isBegun, !core.areFloorsComing,
            let floors = core.floors
        else { return }
        files.save(floors, now: now)
    }

    private mutating func countDescriptors(now: Instant) {
        guard let look = descriptors.look(now: now) else { return }
        core.descriptors = look.usage
        guard let notice = look.notice else { return }
        logger.log(level: notice.isAlarm ? .warning : .notice, "\(notice.sentence)")
    }
}
