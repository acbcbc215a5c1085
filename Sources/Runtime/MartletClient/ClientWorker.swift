import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import ZeroMQ
import Threading

/// The thread of one client: its sockets, and its sent and waiting messages.
///
/// ### One turn
/// Wait until a socket or the bell is ready or a timer is due. Process all answers. Process all
/// letters of the inbox. Run the jobs of tasks that prefer this thread. Handle due timers. Send
/// queued operations, grouped by shard and kind. Only the poll blocks.
///
/// CacheClientCore makes the decisions: where a key lives, when to retry, and which endpoint to ask
/// for the topology.
final class ClientWorker {
    /// A message that was sent and not answered yet.
    struct Sent {
        enum Content {
            case operations([OperationReference])
            /// Not answered in time; its answer may bring load leases.
            case late([OperationReference])
            case gets(GetBatch)
            case question(AdminRequest)
            case topology
            /// A test whether the shard answers at all.
            case probe
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
    var trust: ClusterTrust
    /// A topology of another cluster, and the connection that sent it.
    var offer: (topology: Topology, connection: ShardConnection)?
    var roundTrips = RoundTrips(nodeCount: 0)
    var placeWait = PlaceWait()
    /// In the order of opening. The poller below watches them and must go first.
    var connections: [ShardConnection] = []
    var byEndpoint: [String: ShardConnection] = [:]
    /// One for each shard of the topology; `nil` until its first use.
    var shardConnections: [ShardConnection?] = []
    var inFlight = InFlightTable<Sent>(capacity: ClientLimits.messagesInFlightMax)
    var delayed: [Delayed] = []
    /// Operations without a route: there is no topology yet, or the node has no known endpoint.
    var unrouted: [OperationReference] = []
    var unroutedQuestions: [AdminRequest] = []
    /// No timer is due before this.
    var nextDue = ClientWorker.never
    /// The publisher is not asked for its head before this; `never` while it is being asked.
    var nextHeadQuestion = Instant(nanoseconds: 0)
    /// Operations accepted and not settled, and not counted down before the next sweep.
    var pendingCount = 0
    var writer = ByteWriter(capacityBytes: 16_384)
    var frame = Frame()
    var poller = Poller()
    var isPollerCurrent = false
    /// The contents of the inbox in this turn.
    private var mail = LoopInbox.Mail()
    private var bell: PollIndex?

    // MARK: Plain gets

    /// When this turn emptied the inbox.
    var turnBegan = MonotonicClock.now
    /// Unused batches, kept for reuse.
    var spareBatches: [GetBatch] = []
    /// Whether a message is full and may be sent between two jobs.
    var hasFullBatch = false
    /// Tickets of the gets that were cancelled in this turn.
    var cancelledGets = Set<UInt64>()
    /// The replica that this turn's gets go to.
    var nearForTurn: NodeIndex?
    /// The position that the session demands, as of that session change.
    var demand: (change: UInt64, position: LogPosition?) = (0, nil)

    init(_ loop: ClientLoop, seeds: [Endpoint]) {
        self.loop = loop
        let configuration = loop.configuration
        hunt = TopologyHunt(
            seeds: seeds.map(\.description), kept: Self.usable(configuration.keptEndpoints))
        trust = ClusterTrust(kept: configuration.keptCluster)
    }

    /// The valid endpoints, in the canonical form.
    private static func usable(_ kept: [String]) -> [String] {
        kept.compactMap { text in
            do throws(EndpointError) {
                return try Endpoint(text, for: .connecting).description
            } catch {
                return nil
            }
        }
    }

    func run() {
        hunt.wanted(at: MonotonicClock.now)
        do {
            while try turn() {}
            failEverything(.closed)
        } catch {
            // Only a broken system leads here: no other code uses this context.
            loop.inbox.beginClosing()
            failEverything(CacheError(.closed, "the client's sockets failed: \(error)"))
        }
        // The context can end only after every socket, and the poller goes before them.
        poller = Poller()
        inFlight = InFlightTable(capacity: 1)
        (connections, byEndpoint, shardConnections, offer) = ([], [:], [], nil)
    }

    /// - Returns: whether there is another turn.
    private func turn() throws(ZeroMQError) -> Bool {
        try wait()
        if let bell, poller.isReady(bell) { loop.inbox.wakeup.drain() }
        try receiveAll()
        let isClosing = loop.inbox.take(into: &mail)
        turnBegan = MonotonicClock.now
        for letter in mail.letters { open(letter, at: turnBegan) }
        for get in mail.gets { accept(get) }
        settleCancelledGets()
        loop.executor.adopt(mail.jobs)
        mail.removeAll()
        guard !isClosing else { return false }
        try runJobs()
        let now = MonotonicClock.now
        if now >= nextDue { sweep(at: now) }
        ask(hunt.tick(at: now), at: now)
        for connection in connections where connection.hasWork {
            try flush(connection, at: now)
        }
        nearForTurn = nil
        return true
    }

    /// Runs jobs of tasks, and sends full messages between two jobs.
    private func runJobs() throws(ZeroMQError) {
        var left = ClientLimits.jobsPerTurnMax
        while left > 0, loop.executor.runNext() {
            left -= 1
            if hasFullBatch { try flushFullBatches() }
        }
    }

    private func wait() throws(ZeroMQError) {
        if !isPollerCurrent { watchConnections() }
        for connection in connections { watchForRoom(connection) }
        if loop.executor.hasJobs || !loop.inbox.fallAsleepUnlessMail() {
            _ = try poller.wait(timeout: .zero)
            return
        }
        var until = nextDue
        if let due = hunt.due { until = min(until, due) }
        for connection in connections {
            if let holdEnd = connection.holdEnd { until = min(until, holdEnd) }
        }
        let timeout = until == Self.never ? nil : until.elapsed(since: MonotonicClock.now)
        // The sockets bring nothing while nothing is in flight.
        let spin = inFlight.count > 0 ? loop.configuration.spin : .zero
        _ = try poller.wait(timeout: timeout, spinning: spin)
    }

    /// Makes the poller watch exactly the connections that are open.
    private func watchConnections() {
        poller = Poller()
        bell = poller.add(loop.inbox.wakeup)
        for connection in connections {
            connection.pollIndex = poller.add(connection.socket, for: .readable)
            connection.isWatchedForRoom = false
        }
        isPollerCurrent = true
    }

    /// A blocked connection is watched for capacity; any other has nothing waiting.
    private func watchForRoom(_ connection: ShardConnection) {
        let wants = connection.hasWork && connection.blockedSince != nil
        guard wants != connection.isWatchedForRoom, let index = connection.pollIndex else { return }
        poller.watch(index, for: wants ? [.readable, .writable] : .readable)
        connection.isWatchedForRoom = wants
    }

    private func open(_ letter: ClientLoop.Letter, at now: Instant) {
        switch letter {
        case .data(let request): accept(request, at: now)
        case .question(let request): accept(request, at: now)
        case .cancelData(let request):
            request.isCancelled = true
            guard request.isOpen else { return }
            pendingCount -= request.remaining
            request.settleRest(Self.cancelled(request.isWrite))
        case .cancelQuestion(let request):
            request.isCancelled = true
            guard request.isOpen else { return }
            request.settle(.failure(Self.cancelled(request.mayHaveHappened)))
        case .cancelGet(let ticket): cancelledGets.insert(ticket)
        }
    }

    static func cancelled(_ isWrite: Bool) -> CacheError {
        CacheError(
            .cancelled, "the task that asked was cancelled; whether it was done is not known",
            mayHaveHappened: isWrite)
    }

    private func failEverything(_ error: CacheError) {
        _ = loop.inbox.take(into: &mail)
        for letter in mail.letters {
            switch letter {
            case .data(let request): request.settleRest(error)
            case .question(let request): request.settle(.failure(error))
            case .cancelData, .cancelQuestion, .cancelGet: break
            }
        }
        for get in mail.gets { get.caller.resume(returning: .failed(error)) }
        loop.executor.adopt(mail.jobs)
        let doubt = CacheError(
            error.code, "it was sent and may have been done: \(error.message)",
            mayHaveHappened: true)
        inFlight.forEach { _, sent in
            switch sent.content {
            case .operations(let references):
                for reference in references {
                    settle(reference, .failed(reference.request.isWrite ? doubt : error))
                }
            case .gets(let batch): settleAll(of: batch, .failed(error))
            case .question(let request):
                request.settle(.failure(request.mayHaveHappened ? doubt : error))
            case .topology, .late, .probe: break
            }
        }
        for connection in connections {
            for batch in connection.takeGets() { settleAll(of: batch, .failed(error)) }
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
