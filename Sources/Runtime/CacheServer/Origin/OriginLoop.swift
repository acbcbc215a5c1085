import CacheLoading
import CacheModel
import CacheNodeCore
import CacheOrigin
import CacheWire
import Logging
import Threading
import ZeroMQ

/// The loop of the origin thread: collect messages, tell the ``CacheLoading/OriginScheduler``, do
/// what it says, sleep until its next deadline.
struct OriginLoop: ~Copyable {
    private let mailbox: Mailbox<OriginLetter>
    private let shards: [Mailbox<ShardLetter>]
    private let settings: HTTPOriginSettings
    private let logger: Logger
    private var scheduler: OriginScheduler
    private var writes: WriteKeeper
    private var actions: [OriginScheduler.Action] = []
    private var peers: PeerLoads
    private var peerActions: [PeerLoads.Action] = []
    private var forwards = WriteForwards()
    private var forwardsNext: [(next: WriteForwards.Next, endpoint: String)] = []
    private var links: PeerLinks
    /// What each load asked for, to read its answer by.
    private var requests: [LoadTicket: OriginRequest] = [:]
    private var attempts: [AttemptNumber: Attempt] = [:]
    private var credentials: OriginCredentials
    /// What each attempt was sent with, while it may have to be sent again with newer secrets.
    private var sent: [AttemptNumber: OriginRequest] = [:]
    /// `nil` until something is to be loaded.
    private var origin: HTTPOrigin?
    private var isRunning = true

    init(_ setup: OriginThread.Setup) {
        mailbox = setup.mailbox
        shards = setup.shards
        settings = setup.settings
        credentials = OriginCredentials(setup.secrets, logger: setup.logger)
        logger = setup.logger
        scheduler = OriginScheduler(seed: setup.seed)
        peers = PeerLoads(node: setup.node)
        links = PeerLinks(setup.context, logger: setup.logger)
        writes = WriteKeeper(setup.writes, of: setup.node, now: MonotonicClock.now)
    }

    mutating func run() {
        do {
            while isRunning { try listen() }
        } catch {
            logger.error("the origin thread ended: \(error)")
        }
        end()
    }

    /// Loops until there are other peers to listen to.
    private mutating func listen() throws {
        var poller = Poller()
        let mail = poller.add(mailbox.wakeup)
        links.watch(with: &poller)
        while isRunning, !links.isChanged {
            links.prepare(&poller)
            _ = try poller.wait(timeout: timeout)
            try takeLetters(isHeard: poller.isReady(mail))
            let now = MonotonicClock.now
            try links.receive(from: poller) { frame, endpoint in
                guard WriteForwards.owns(frame) else {
                    return peers.received(frame, from: endpoint, now: now, into: &peerActions)
                }
                if let next = forwards.answered(frame, from: endpoint, now: now) {
                    forwardsNext.append((next, endpoint))
                }
            }
            for endpoint in try links.takeBroken(among: askedEndpoints) {
                peers.broke(endpoint, now: now, into: &peerActions)
                ended(forwards.broke(endpoint))
            }
            peers.timeIsUp(now: now, into: &peerActions)
            forwardsTimedOut(now: now)
            try performPeers()
            scheduler.timeIsUp(now: MonotonicClock.now, into: &actions)
            writes.timeIsUp(now: MonotonicClock.now)
            retryCredentials(now: MonotonicClock.now)
            // Each may have something begun by the other.
            repeat {
                perform()
                try performForwards()
            } while writes.hasOrders
        }
    }

    private var timeout: Duration? {
        let deadlines = [
            scheduler.nextDeadline, peers.nextDeadline, writes.nextDeadline, credentials.nextTry,
            forwards.nextDeadline,
        ]
        var next = deadlines.compactMap(\.self).min()
            .map { $0.elapsed(since: MonotonicClock.now) }
        if !askedEndpoints.isEmpty {
            next = min(next ?? PeerLinks.watchInterval, PeerLinks.watchInterval)
        }
        return next
    }

    private var askedEndpoints: [String] {
        let forwarded = forwards.askedEndpoints
        guard !forwarded.isEmpty else { return peers.askedEndpoints }
        return forwarded.union(peers.askedEndpoints).sorted()
    }

    private mutating func takeLetters(isHeard: Bool) throws {
        let letters = mailbox.takeAll(isHeard: isHeard)
        // First: what ends may have the next write begun, by the owners that are known then.
        for case .slots(let news) in letters { writes.setSlots(news, now: MonotonicClock.now) }
        for letter in letters {
            let now = MonotonicClock.now
            switch letter {
            case .policies(let policies):
                adopt(usable(policies, now: now), of: policies, now: now)
            case .topology(let frame): learn(frame, now: now)
            case .slots: break
            case .lease(let end): writes.setLease(until: end, now: now)
            case .load(let shard, let load):
                let ticket = Self.ticket(shard, load.number)
                if let outcome = writes.outcome(of: load.request) {
                    post(outcome, to: ticket)
                } else {
                    peers.make(load, ticket, now: now, into: &peerActions)
                }
            case .leavePeer(let shard, let number):
                peers.leave(Self.ticket(shard, number), now: now, into: &peerActions)
            case .hasten(let shard, let number):
                let ticket = Self.ticket(shard, number)
                if !peers.hasten(ticket) {
                    scheduler.hasten(ticket, to: .awaited, now: now, into: &actions)
                }
            case .finished(let attempt, let outcome):
                finished(attempt, outcome, now: now)
            case .pulse(let pulse): pulse.beat()
            case .report(let tell): tell(scheduler.statistics, peers.statistics)
            case .write(let order): writes.asked(order, now: now)
            case .published(let ticket, let position):
                writes.published(ticket, at: position, now: now)
            case .journaled(let order, let succeeded):
                writes.journaled(order, succeeded: succeeded, now: now)
            case .queue(let shard, let number, let question):
                let report = writes.reported(question, now: now)
                shards[shard.rawValue].post(.queueReport(number: number, report))
            case .stop: isRunning = false
            }
            try performPeers()
            perform()
            try performForwards()
        }
    }

    private mutating func learn(_ frame: [UInt8], now: Instant) {
        do {
            let (report, note) = try frame.withUnsafeBytes {
                let message = try MessageView(decoding: $0)
                return (try TopologyReport(decoding: message), message.fields.members)
            }
            let topology = Topology(report)
            forwards.cluster = topology.cluster
            peers.setTopology(topology, now: now, into: &peerActions)
            for endpoint in links.keep(Set(topology.shards.map(\.endpoint))) {
                ended(forwards.broke(endpoint))
            }
            writes.setTopology(
                isBySlots: note?.isBySlots ?? false, asOf: note?.asOf ?? .none, now: now)
        } catch {
            preconditionFailure("the control core hands over what it decoded: \(error)")
        }
    }

    /// Does what the ``CacheNodeCore/PeerLoads`` says: sends questions, or hands loads on to the
    /// ``CacheLoading/OriginScheduler``.
    private mutating func performPeers() throws {
        while !peerActions.isEmpty {
            let due = peerActions
            peerActions.removeAll(keepingCapacity: true)
            for action in due { try perform(action) }
        }
    }

    private mutating func perform(_ action: PeerLoads.Action) throws {
        let now = MonotonicClock.now
        switch action {
        case .send(let endpoint, let frame):
            guard try !links.send(frame, to: endpoint) else { return }
            peers.broke(endpoint, now: now, into: &peerActions)
        case .probe(let endpoint, let frame): try links.probe(frame, to: endpoint)
        case .close(let endpoint):
            links.close(endpoint)
            ended(forwards.broke(endpoint))
        case .askOrigin(let ticket, let request, let urgency):
            requests[ticket] = request
            scheduler.ask(
                LoadOrder(ticket: ticket, request: request, urgency: urgency), now: now,
                into: &actions)
            perform()
        case .answer(let ticket, let outcome): post(outcome, to: ticket)
        }
    }

    // MARK: Forwarded writes

    private mutating func performForwards() throws {
        for (next, endpoint) in forwardsNext {
            switch next {
            case .send(let frame): try send(frame, ofForwardTo: endpoint)
            case .ended(let end): ended([end])
            }
        }
        forwardsNext.removeAll(keepingCapacity: true)
        // What ends at once may have others forwarded.
        while writes.hasForwards {
            for forward in writes.takeForwards() { try begin(forward) }
        }
    }

    private mutating func begin(_ forward: WriteForward) throws {
        let address = peers.topology?.owner(of: forward.write.key, in: forward.write.namespace)
        // The shard knows other owners than the newest report: another one follows.
        guard let address, address.node == forward.node, !address.endpoint.isEmpty else {
            return ended([WriteForwards.Ended(forward, .failed(.unreachable))])
        }
        let frame = forwards.begin(forward, to: address.endpoint, now: MonotonicClock.now)
        try send(frame, ofForwardTo: address.endpoint)
    }

    private mutating func send(_ frame: [UInt8], ofForwardTo endpoint: String) throws {
        if try !links.send(frame, to: endpoint) { ended(forwards.broke(endpoint)) }
    }

    /// A shard that does not answer does not get what was not sent, once it is back.
    private mutating func forwardsTimedOut(now: Instant) {
        let (ends, silent) = forwards.timeIsUp(now: now)
        for endpoint in silent { links.dropUnsent(to: endpoint) }
        ended(ends)
    }

    private mutating func ended(_ ends: [WriteForwards.Ended]) {
        for end in ends { writes.forwardEnded(end, now: MonotonicClock.now) }
    }

    private mutating func usable(
        _ policies: [Namespace: OriginPolicy], now: Instant
    ) -> [Namespace: OriginPolicy] {
        guard HTTPOrigin.isBuiltIn else {
            for name in policies.keys.map(\.name).sorted() {
                logger.error("namespace \(name) has no origin: \(HTTPOriginError.notBuiltIn)")
            }
            return [:]
        }
        return credentials.usable(policies, now: now)
    }

    private mutating func adopt(
        _ usable: [Namespace: OriginPolicy], of policies: [Namespace: OriginPolicy], now: Instant
    ) {
        let off = policies.keys.filter { usable[$0] == nil }
        shards.first?.post(.originsOff(off.sorted { $0.name < $1.name }))
        scheduler.configure(usable, now: now, into: &actions)
        writes.configure(usable, now: now)
        warnOfNoQueue(usable)
    }

    /// Looks whether files are there by now that were not.
    private mutating func retryCredentials(now: Instant) {
        guard let usable = credentials.retried(now: now) else { return }
        adopt(usable, of: credentials.configured, now: now)
    }

    /// The scheduler hears of the last answer only, where one is asked for again.
    private mutating func finished(
        _ attempt: AttemptNumber, _ outcome: AttemptOutcome, now: Instant
    ) {
        attempts[attempt] = nil
        if let request = sent.removeValue(forKey: attempt),
            let again = credentials.repetition(of: request, after: outcome, now: now)
        {
            return start(attempt, again)
        }
        scheduler.finished(attempt, outcome, now: now, into: &actions)
    }

    /// Better said now than on the day on which the origin is away.
    private func warnOfNoQueue(_ policies: [Namespace: OriginPolicy]) {
        guard !writes.hasQueue else { return }
        for namespace in policies.filter(\.value.writesBehind).keys.map(\.name).sorted() {
            logger.warning(
                """
                namespace \(namespace) has write-behind, and this node has no place where writes \
                wait: what its origin does not take at once is refused; give the node a \
                queue-directory
                """)
        }
    }

    private static func ticket(_ shard: ShardIndex, _ number: UInt64) -> LoadTicket {
        LoadTicket(shard: UInt16(shard.rawValue), number: number)
    }

    private mutating func perform() {
        // What the scheduler answers to writes may have others told to it.
        repeat {
            for order in writes.takeOrders() {
                scheduler.ask(order, now: MonotonicClock.now, into: &actions)
            }
            performScheduled()
        } while writes.hasOrders
    }

    private mutating func performScheduled() {
        // An attempt may have finished before this returns; its message comes later.
        let due = actions
        actions.removeAll(keepingCapacity: true)
        for action in due {
            switch action {
            case .start(let attempt, let request): start(attempt, request)
            case .abort(let attempt):
                // Its answer may have come already, and is not asked for again.
                sent[attempt] = nil
                attempts[attempt]?.abort()
            case .answer(let ticket, let answer) where ticket.shard == WriteKeeper.schedulerShard:
                writes.attemptEnded(ticket, answer, now: MonotonicClock.now)
            case .answer(let ticket, let answer): tell(ticket, answer)
            }
        }
    }

    private mutating func start(_ number: AttemptNumber, _ request: OriginRequest) {
        guard let origin = client() else {
            return mailbox.post(.finished(number, .failed(.unreachable)))
        }
        let request = credentials.completed(request, now: MonotonicClock.now)
        sent[number] = request
        attempts[number] = origin.begin(request) { [mailbox] outcome in
            mailbox.post(.finished(number, outcome))
        }
    }

    private mutating func client() -> HTTPOrigin? {
        if let origin { return origin }
        do {
            origin = try HTTPOrigin(settings)
        } catch {
            logger.error("no origin can be asked: \(error)")
        }
        return origin
    }

    private mutating func tell(_ ticket: LoadTicket, _ answer: LoadAnswer) {
        guard let request = requests.removeValue(forKey: ticket) else { return }
        let outcome: LoadOutcome =
            switch answer {
            case .reply(let reply): AnswerReader.read(reply, to: request)
            case .failed(let failure, let retryAfter): .failed(failure, retryAfter: retryAfter)
            }
        post(outcome, to: ticket)
    }

    private func post(_ outcome: LoadOutcome, to ticket: LoadTicket) {
        shards[Int(ticket.shard)].post(.loadEnded(number: ticket.number, outcome))
    }

    /// Waits until every attempt has ended, and the client with its thread.
    private mutating func end() {
        guard let origin else { return }
        let isDone = Promise<Void>()
        origin.shutDown(grace: .zero) { isDone.fulfil(()) }
        isDone.wait()
    }
}
