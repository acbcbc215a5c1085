import CacheModel
import CacheNodeCore
import CacheWire
import Logging
import Threading
import ZeroMQ

/// The loop of a warm-up's thread: collect messages and answers, tell the
/// ``CacheNodeCore/WarmUp``, do what it says, sleep until its next deadline.
struct WarmUpLoop: ~Copyable {
    private let setup: WarmUpThread.Setup
    private var warmUp: WarmUp
    private var actions: [WarmUp.Action] = []
    /// To the shards of one peer at a time, and to this node's own.
    private var links: [String: ShardLink] = [:]
    private var linkedPeer: NodeID?
    private var peers: [NodeID: [String]] = [:]
    /// Orders that are not answered yet, and when they are given up.
    private var orderEnds: [UInt64: Instant] = [:]
    /// This node alone, by which a key finds its shard here.
    private let own: Topology
    private var frame = Frame()
    private var told: WarmUp.Progress?
    private var tellsAt: Instant
    private var isRunning = true

    init(_ setup: WarmUpThread.Setup) {
        self.setup = setup
        warmUp = WarmUp(setup.settings)
        own = Topology(
            TopologyReport(
                version: 0, kind: .replicated, controlEndpoint: "", liveEndpoint: "",
                nodes: [
                    TopologyReport.Node(
                        id: setup.node, state: nil, endpoints: setup.endpoints)
                ]))
        tellsAt = MonotonicClock.now
    }

    mutating func run() {
        do {
            while isRunning { try turn() }
        } catch {
            setup.logger.error("the warm-up ended: \(error)")
        }
    }

    /// Waits, and takes what came. The poller is made anew each time, for links may have come.
    private mutating func turn() throws {
        var poller = Poller()
        let mail = poller.add(setup.mailbox.wakeup)
        for link in links.values {
            _ = poller.add(
                link.socket, for: link.isWaitingForRoom ? [.readable, .writable] : .readable)
        }
        _ = try poller.wait(timeout: timeout)
        takeLetters(isHeard: poller.isReady(mail))
        try perform()
        for link in Array(links.values) {
            try link.flush()
            var left = ServerLimits.warmUpAnswersPerTurn
            while left > 0, try link.socket.receive(into: &frame) {
                left -= 1
                hear(WarmUpMessage.decode(frame.bytes), now: MonotonicClock.now)
            }
        }
        let now = MonotonicClock.now
        for (number, end) in orderEnds where end <= now {
            orderEnds[number] = nil
            warmUp.ended(number, .failed, now: now, into: &actions)
        }
        warmUp.timeIsUp(now: now, into: &actions)
        try perform()
        tell(now: now)
    }

    private var timeout: Duration? {
        let ends = [warmUp.nextDeadline, orderEnds.values.min()].compactMap(\.self)
        return ends.min().map { $0.elapsed(since: MonotonicClock.now) }
    }

    private mutating func takeLetters(isHeard: Bool) {
        for letter in setup.mailbox.takeAll(isHeard: isHeard) {
            switch letter {
            case .begin(let replicas, let namespaces):
                for peer in replicas { peers[peer.node] = peer.endpoints }
                warmUp.begin(
                    replicas.map {
                        WarmUp.Peer(node: $0.node, shardCount: $0.endpoints.count)
                    }, namespaces, now: MonotonicClock.now, into: &actions)
            case .stop: warmUp.stop(into: &actions)
            }
        }
        if warmUp.progress.phase == .stopped { isRunning = false }
    }

    private mutating func hear(_ answer: WarmUpMessage.Answer, now: Instant) {
        switch answer {
        case .page(let number, let page):
            warmUp.answered(number, page, now: now, into: &actions)
        case .ended(let number, let ending): end(number, ending, now: now)
        case .refused(let number):
            warmUp.unanswered(number, now: now, into: &actions)
            end(number, .failed, now: now)
        }
    }

    private mutating func end(_ number: UInt64, _ ending: WarmUp.Ending, now: Instant) {
        guard orderEnds.removeValue(forKey: number) != nil else { return }
        warmUp.ended(number, ending, now: now, into: &actions)
    }

    private mutating func perform() throws {
        while !actions.isEmpty {
            let due = actions
            actions.removeAll(keepingCapacity: true)
            for action in due {
                switch action {
                case .ask(let question): try ask(question)
                case .load(let order): try load(order)
                case .over: isRunning = false
                }
            }
        }
    }

    private mutating func ask(_ question: WarmUp.Question) throws {
        leavePeers(but: question.peer)
        let endpoint = peers[question.peer]?[question.shard] ?? ""
        let isSent = try send(WarmUpMessage.encode(question), to: endpoint)
        guard !isSent else { return }
        warmUp.unanswered(question.number, now: MonotonicClock.now, into: &actions)
    }

    /// Earlier peers are not asked again: a poller watches a bounded number of sockets.
    private mutating func leavePeers(but peer: NodeID) {
        guard peer != linkedPeer else { return }
        linkedPeer = peer
        links = links.filter { setup.endpoints.contains($0.key) }
    }

    private mutating func load(_ order: WarmUp.Order) throws {
        let now = MonotonicClock.now
        let endpoint = own.owner(of: order.key, in: order.namespace)?.endpoint ?? ""
        let patience = ServerLimits.warmUpPatience
        if try send(WarmUpMessage.encode(order, patience: patience), to: endpoint) {
            orderEnds[order.number] = now.advanced(by: patience * 2)
        } else {
            warmUp.ended(
                order.number, .pushedBack(retryAfter: nil), now: now, into: &actions)
        }
    }

    /// - Returns: `false` if there is no such place, or none that can be opened.
    private mutating func send(_ message: [UInt8], to endpoint: String) throws -> Bool {
        guard let link = try link(to: endpoint) else { return false }
        try link.send(message)
        return true
    }

    private mutating func link(to endpoint: String) throws(ZeroMQError) -> ShardLink? {
        if let known = links[endpoint] { return known }
        let link = try ShardLink.opened(setup.context, to: endpoint) {
            setup.logger.error("a peer cannot be asked: \($0)")
        }
        links[endpoint] = link
        return link
    }

    // MARK: What is told

    private mutating func tell(now: Instant) {
        let progress = warmUp.progress
        let isOther = progress.phase != told?.phase
        guard progress != told, isOther || now >= tellsAt else { return }
        told = progress
        setup.shard.post(.warmUp(progress))
        tellsAt = now.advanced(by: ServerLimits.warmUpReportInterval)
        let count = "\(progress.doneCount) of \(progress.keyCount) keys"
        let peer = progress.peer?.name ?? "nobody"
        switch progress.phase {
        case .idle: break
        case .asking: setup.logger.info("warms up: asks \(peer) for its hot keys")
        case .loading: setup.logger.info("warms up by what is hot at \(peer): \(count)")
        case .done:
            setup.logger.info("warmed up: \(count), \(progress.failedCount) not loaded")
        case .stopped: setup.logger.info("warm-up stopped: \(count)")
        }
    }
}
