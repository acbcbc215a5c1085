import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import ZeroMQ
import Threading

/// The thread of one client: its sockets, what is on its way, and what waits.
///
/// ### One turn
/// Wait until a socket or the bell is ready or something is due; take all answers; take all
/// letters; let what is due happen; send what is queued, grouped by shard and kind. Nothing here
/// waits but the poll.
///
/// It decides nothing by itself: where a key lives, when to ask again and whom to ask for the
/// topology are questions to CacheClientCore.
final class ClientWorker {
    /// A message that was sent and not answered yet.
    struct Sent {
        enum Content {
            case operations([OperationReference])
            case question(AdminRequest)
            case topology
        }

        var content: Content
        let connection: ShardConnection
        let sentAt: Instant
        var expiry: Instant
    }

    struct Delayed {
        enum Content {
            case operation(OperationReference)
            case question(AdminRequest)
        }

        let due: Instant
        let content: Content
    }

    static let never = Instant(nanoseconds: .max)

    let loop: ClientLoop
    var topology: Topology?
    var hunt: TopologyHunt
    var roundTrips = RoundTrips(nodeCount: 0)
    /// In the order they were opened. The poller below watches them and must go first.
    var connections: [ShardConnection] = []
    var byEndpoint: [String: ShardConnection] = [:]
    /// For each shard of the topology, once it was needed.
    var shardConnections: [ShardConnection?] = []
    var inFlight = InFlightTable<Sent>(capacity: ClientLimits.messagesInFlightMax)
    var delayed: [Delayed] = []
    /// What cannot be routed before there is a topology.
    var unrouted: [OperationReference] = []
    var unroutedQuestions: [AdminRequest] = []
    /// Nothing happens by itself before this.
    var nextDue = ClientWorker.never
    /// Operations accepted and not settled, and not counted down before the next sweep.
    var pendingCount = 0
    var writer = ByteWriter(capacityBytes: 16_384)
    var frame = Frame()
    var poller = Poller()
    var isPollerCurrent = false
    private var bell: PollIndex?

    init(_ loop: ClientLoop, seeds: [Endpoint]) {
        self.loop = loop
        hunt = TopologyHunt(seeds: seeds.map(\.description))
    }

    func run() {
        hunt.wanted(at: MonotonicClock.now)
        do {
            while try turn() {}
            failEverything(.closed)
        } catch {
            // Nothing but a broken system gets here: the context is ours alone.
            loop.beginClosing()
            failEverything(CacheError(.closed, "the client's sockets failed: \(error)"))
        }
        // The context can end only after every socket, and the poller goes before them.
        poller = Poller()
        inFlight = InFlightTable(capacity: 1)
        (connections, byEndpoint, shardConnections) = ([], [:], [])
    }

    /// - Returns: whether there is another turn.
    private func turn() throws(ZeroMQError) -> Bool {
        try wait()
        if let bell, poller.isReady(bell) { loop.wakeup.drain() }
        try receiveAll()
        let (letters, isClosing) = loop.takeLetters()
        let now = MonotonicClock.now
        for letter in letters { try open(letter, at: now) }
        guard !isClosing else { return false }
        if now >= nextDue { try sweep(at: now) }
        try ask(hunt.tick(at: now), at: now)
        for connection in connections where connection.hasWork {
            try flush(connection, at: now)
        }
        return true
    }

    private func wait() throws(ZeroMQError) {
        if !isPollerCurrent { watchConnections() }
        let now = MonotonicClock.now
        var until = nextDue
        if let due = hunt.due { until = min(until, due) }
        let timeout = until == Self.never ? nil : until.elapsed(since: now)
        for connection in connections { watchForRoom(connection) }
        _ = try poller.wait(timeout: timeout)
    }

    /// Makes the poller watch exactly the connections that are open.
    private func watchConnections() {
        poller = Poller()
        bell = poller.add(loop.wakeup)
        for connection in connections {
            connection.pollIndex = poller.add(connection.socket, for: .readable)
            connection.isWatchedForRoom = false
        }
        isPollerCurrent = true
    }

    /// What is blocked is told when there is room; what is not has nothing waiting.
    private func watchForRoom(_ connection: ShardConnection) {
        let wants = connection.hasWork && connection.blockedSince != nil
        guard wants != connection.isWatchedForRoom, let index = connection.pollIndex else { return }
        poller.watch(index, for: wants ? [.readable, .writable] : .readable)
        connection.isWatchedForRoom = wants
    }

    private func open(_ letter: ClientLoop.Letter, at now: Instant) throws(ZeroMQError) {
        switch letter {
        case .data(let request): try accept(request, at: now)
        case .question(let request): try accept(request, at: now)
        case .cancelData(let request):
            request.isCancelled = true
            guard request.isOpen else { return }
            pendingCount -= request.remaining
            request.settleRest(Self.cancelled(request.isWrite))
        case .cancelQuestion(let request):
            request.isCancelled = true
            guard request.isOpen else { return }
            request.settle(.failure(Self.cancelled(request.mayHaveHappened)))
        case .refreshTopology: hunt.wanted(at: now)
        }
    }

    static func cancelled(_ isWrite: Bool) -> CacheError {
        CacheError(
            .cancelled, "the task that asked was cancelled; whether it was done is not known",
            mayHaveHappened: isWrite)
    }

    private func failEverything(_ error: CacheError) {
        for letter in loop.takeLetters().letters {
            switch letter {
            case .data(let request): request.settleRest(error)
            case .question(let request): request.settle(.failure(error))
            case .cancelData, .cancelQuestion, .refreshTopology: break
            }
        }
        inFlight.forEach { _, sent in
            switch sent.content {
            case .operations(let references):
                for reference in references { settle(reference, .failed(error)) }
            case .question(let request): request.settle(.failure(error))
            case .topology: break
            }
        }
        for connection in connections {
            for reference in connection.takeOperations() { settle(reference, .failed(error)) }
            for request in connection.questions { request.settle(.failure(error)) }
        }
        for entry in delayed {
            switch entry.content {
            case .operation(let reference): settle(reference, .failed(error))
            case .question(let request): request.settle(.failure(error))
            }
        }
        for reference in unrouted { settle(reference, .failed(error)) }
        for request in unroutedQuestions { request.settle(.failure(error)) }
    }

    func settle(_ reference: OperationReference, _ outcome: DataRequest.Outcome) {
        guard !reference.isSettled else { return }
        reference.request.settle(reference.index, outcome)
        pendingCount -= 1
    }
}
