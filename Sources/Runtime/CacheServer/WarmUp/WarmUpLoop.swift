import CacheModel
import CacheNodeCore
import Logging
import Threading
import ZeroMQ

/// The loop of a warm-up's thread: collect messages and answers, tell the
/// ``CacheNodeCore/WarmUp``, do what it says, sleep until its next deadline.
struct WarmUpLoop: ~Copyable {
    private let setup: WarmUpThread.Setup
    private var warmUp: WarmUp
    private var actions: [WarmUp.Action] = []
    /// To the shards of one peer at a time.
    private var links: [String: ShardLink] = [:]
    private var linkedPeer: NodeID?
    private var peers: [NodeID: [String]] = [:]
    /// For readers that wait, and the links to all that they are requested from.
    private var pulls = KeyPulls()
    private var pullLinks: [String: ShardLink] = [:]
    /// Whether the thread goes on when nothing is left to be copied: slots may arrive.
    private var isSharing = false
    private var isStopped = false
    private var frame = Frame()
    private var told: WarmUp.Progress?
    private var tellsAt: Instant
    private var loggedAt: Instant
    private var isRunning = true

    init(_ setup: WarmUpThread.Setup) {
        self.setup = setup
        warmUp = WarmUp(setup.settings, node: setup.node, shardCount: setup.shards.count)
        tellsAt = MonotonicClock.now
        loggedAt = tellsAt
    }

    mutating func run() {
        do {
            tell(now: MonotonicClock.now)
            while isRunning { try turn() }
        } catch {
            setup.logger.error("warm-up: ended by an error: \(error)")
            warmUp.stop(into: &actions)
            tell(now: MonotonicClock.now)
        }
    }

    /// Waits, and takes what came. The poller is made anew each time, for links may have come.
    private mutating func turn() throws {
        var poller = Poller()
        let mail = poller.add(setup.mailbox.wakeup)
        for link in allLinks {
            _ = poller.add(
                link.socket, for: link.isWaitingForRoom ? [.readable, .writable] : .readable)
        }
        _ = try poller.wait(timeout: timeout)
        try takeLetters(isHeard: poller.isReady(mail))
        try perform()
        for link in allLinks {
            try link.flush()
            var left = ServerLimits.warmUpAnswersPerTurn
            while left > 0, try link.socket.receive(into: &frame) {
                left -= 1
                if KeyPulls.owns(frame.bytes) {
                    if let ended = pulls.answered(frame.bytes) { post(ended) }
                } else {
                    warmUp.answered(frame.bytes, now: MonotonicClock.now, into: &actions)
                    try perform()
                }
            }
        }
        let now = MonotonicClock.now
        for ended in pulls.timeIsUp(now: now) { post(ended) }
        warmUp.timeIsUp(now: now, into: &actions)
        try perform()
        tell(now: now)
    }

    private var allLinks: [ShardLink] { Array(links.values) + Array(pullLinks.values) }

    private var timeout: Duration? {
        // What was not told because something else was told just before is told then.
        let telling = warmUp.progress == told ? nil : tellsAt
        return [warmUp.nextDeadline, pulls.nextDeadline, telling].compactMap(\.self).min()
            .map { $0.elapsed(since: MonotonicClock.now) }
    }

    private mutating func takeLetters(isHeard: Bool) throws {
        for letter in setup.mailbox.takeAll(isHeard: isHeard) {
            let now = MonotonicClock.now
            switch letter {
            case .live: warmUp.live(now: now)
            case .begin(let replicas):
                for peer in replicas { peers[peer.node] = peer.endpoints }
                warmUp.begin(
                    replicas.map {
                        WarmUp.Peer(node: $0.node, shardCount: $0.endpoints.count)
                    }, now: now, into: &actions)
            case .claimed(let number, let claimed):
                warmUp.claimed(number, claimed, now: now, into: &actions)
            case .stored(let number, let stored):
                warmUp.stored(number, stored, now: now, into: &actions)
            case .sharing(let nodes):
                if !isSharing { warmUp.dismiss() }
                isSharing = true
                if pulls.nextDeadline == nil { pullLinks = [:] }
                // One that is no member any more may still give what it has.
                for peer in nodes { peers[peer.node] = peer.endpoints }
            case .arriving(let arrivals):
                warmUp.arrive(arrivals, now: now, into: &actions)
            case .pull(let pull, let shard): try ask(pull, of: shard, now: now)
            case .stop:
                warmUp.stop(into: &actions)
                isStopped = true
                isRunning = false
            }
        }
    }

    // MARK: Readers that wait

    /// Requests keys from the owner before.
    private mutating func ask(_ pull: SlotPull, of shard: Int, now: Instant) throws {
        guard let endpoint = endpoint(of: pull.move.shard, at: pull.move.node),
            let link = try pullLink(to: endpoint)
        else { return post(KeyPulls.failed(pull, of: shard)) }
        try link.send(pulls.ask(pull, of: shard, now: now))
    }

    private func post(_ ended: KeyPulls.Ended) {
        setup.shards[ended.shard].post(.pulled(ended))
    }

    private mutating func pullLink(to endpoint: String) throws(ZeroMQError) -> ShardLink? {
        if let known = pullLinks[endpoint] { return known }
        guard pullLinks.count < ServerLimits.pullLinksMax else { return nil }
        let link = try newLink(to: endpoint)
        pullLinks[endpoint] = link
        return link
    }

    private mutating func perform() throws {
        while !actions.isEmpty {
            let due = actions
            actions.removeAll(keepingCapacity: true)
            for action in due {
                switch action {
                case .ask(let question): try ask(question)
                case .claim(let claim): post(claim)
                case .store(let batch): post(batch)
                case .over:
                    isRunning = isSharing && !isStopped
                    links = [:]
                }
            }
        }
    }

    private func post(_ claim: WarmUp.Claim) {
        let mailbox = setup.mailbox
        setup.shards[claim.shard].post(
            .claim(claim) { mailbox.post(.claimed(claim.number, $0)) })
    }

    private func post(_ batch: WarmUp.Batch) {
        let (mailbox, number) = (setup.mailbox, batch.number)
        setup.shards[batch.shard].post(.fill(batch) { mailbox.post(.stored(number, $0)) })
    }

    private mutating func ask(_ question: WarmUp.Question) throws {
        leavePeers(but: question.peer)
        guard let endpoint = endpoint(of: question.shard, at: question.peer),
            let link = try link(to: endpoint)
        else {
            return warmUp.unanswered(
                question.number, now: MonotonicClock.now, into: &actions)
        }
        try link.send(question.frame)
    }

    /// A peer that was asked before is asked over other connections the next time: a poller watches
    /// a bounded number of sockets.
    private mutating func leavePeers(but peer: NodeID) {
        guard peer != linkedPeer else { return }
        linkedPeer = peer
        links = [:]
    }

    private mutating func link(to endpoint: String) throws(ZeroMQError) -> ShardLink? {
        if let known = links[endpoint] { return known }
        let link = try newLink(to: endpoint)
        links[endpoint] = link
        return link
    }

    /// `nil`: it is not known.
    private func endpoint(of shard: Int, at node: NodeID) -> String? {
        guard let endpoints = peers[node], shard < endpoints.count, !endpoints[shard].isEmpty
        else { return nil }
        return endpoints[shard]
    }

    private func newLink(to endpoint: String) throws(ZeroMQError) -> ShardLink? {
        try ShardLink.opened(setup.context, to: endpoint) {
            setup.logger.error("warm-up: a peer cannot be asked: \($0)")
        }
    }

    // MARK: What is told

    private mutating func tell(now: Instant) {
        let progress = warmUp.progress
        // A hand-over goes from one shard to the next several times a second.
        let isOther =
            isSharing
            ? progress.isCopying != (told?.isCopying ?? false)
            : progress.phase != told?.phase || progress.peer != told?.peer
        guard progress != told, isOther || now >= tellsAt else { return }
        setup.shards[0].post(.warmUp(progress))
        // Figures are told often, and lines of the log are not.
        if isOther || now >= loggedAt.advanced(by: ServerLimits.warmUpReportInterval) {
            loggedAt = now
            if isSharing { logHandOver(progress) } else { log(progress) }
        }
        told = progress
        tellsAt = now.advanced(by: ServerLimits.warmUpFigureInterval)
    }

    private func log(_ progress: WarmUp.Progress) {
        let peer = progress.peer?.name ?? "none"
        let copied = "copied=\(progress.copiedCount) bytes=\(progress.copiedBytes)"
        let logger = setup.logger
        switch progress.phase {
        case .idle, .waiting: break
        case .asking: logger.info("warm-up: asking what a replica holds peer=\(peer)")
        case .copying:
            logger.info(
                """
                warm-up: copying entries peer=\(peer) present=\(progress.doneCount) \
                of=\(progress.keyCount) \(copied)
                """)
        case .done:
            logger.info("warm-up: done \(copied) not_copied=\(progress.failedCount)")
            guard progress.replicaCount == 0 else { break }
            logger.warning("warm-up: the node is not filled: no replica gave all that it holds")
        case .stopped: logger.info("warm-up: stopped \(copied)")
        }
    }

    private func logHandOver(_ progress: WarmUp.Progress) {
        let copied = "copied=\(progress.copiedCount) bytes=\(progress.copiedBytes)"
        if progress.isCopying {
            let peer = progress.peer?.name ?? "none"
            setup.logger.info("hand-over: copying entries of arrived slots peer=\(peer) \(copied)")
        } else if told?.isCopying == true {
            let end = progress.phase == .stopped ? "stopped" : "done"
            setup.logger.info("hand-over: \(end) \(copied) not_copied=\(progress.failedCount)")
        }
    }
}
