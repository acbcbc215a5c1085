import CacheClientCore
import CacheModel
import CacheWire
import Threading
import ZeroMQ

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
    let loop: ClientLoop
    let timer = DueTimer()
    let connections: ConnectionTable
    let sender: MessageSender
    let gets: PlainGets
    let requests: RequestRouter
    /// The publisher is not asked for its head before this; `never` while it is being asked.
    var nextHeadQuestion = Instant(nanoseconds: 0)
    var frame = Frame()
    private var mail = LoopInbox.Mail()
    /// When this turn emptied the inbox.
    var turnBegan = MonotonicClock.now

    init(
        _ loop: ClientLoop, seeds: [Endpoint],
        inFlightMax: Int = ClientLimits.messagesInFlightMax
    ) {
        self.loop = loop
        connections = ConnectionTable(loop.context, loop.inbox.wakeup, timer)
        sender = MessageSender(loop, timer, capacity: inFlightMax)
        gets = PlainGets(loop, timer)
        requests = RequestRouter(loop, seeds: seeds, timer, connections, gets)
    }

    func run() {
        requests.hunt.wanted(at: MonotonicClock.now)
        do {
            while try turn() {}
            failEverything(.closed)
        } catch {
            // Only a broken system leads here: no other code uses this context.
            loop.inbox.beginClosing()
            failEverything(CacheError(.closed, "the client's sockets failed: \(error)"))
        }
        sender.removeAll()
        connections.closeAll()
    }

    private func turn() throws(ZeroMQError) -> Bool {
        try wait()
        if connections.hasRung { loop.inbox.wakeup.drain() }
        try receiveAll()
        let isClosing = loop.inbox.take(into: &mail)
        turnBegan = MonotonicClock.now
        for letter in mail.letters { open(letter, at: turnBegan) }
        for get in mail.gets { accept(get) }
        gets.settleCancelled(at: connections.all, in: sender)
        loop.executor.adopt(mail.jobs)
        mail.removeAll()
        guard !isClosing else { return false }
        try runJobs()
        let now = MonotonicClock.now
        if now >= timer.due { sweep(at: now) }
        continueHunt(at: now)
        for connection in connections.all where connection.hasWork {
            try flush(connection, at: now)
        }
        requests.routing.forgetNearNode()
        return true
    }

    /// Runs jobs of tasks, and sends full messages between two jobs.
    private func runJobs() throws(ZeroMQError) {
        var left = ClientLimits.jobsPerTurnMax
        while left > 0, loop.executor.runNext() {
            left -= 1
            if gets.hasFullBatch { try flushFullBatches() }
        }
    }

    private func flushFullBatches() throws(ZeroMQError) {
        gets.hasFullBatch = false
        let now = MonotonicClock.now
        for connection in connections.all where !connection.fullGets.isEmpty {
            try gets.flush(connection, by: sender, at: now)
        }
    }

    private func wait() throws(ZeroMQError) {
        connections.watch()
        if loop.executor.hasJobs || !loop.inbox.fallAsleepUnlessMail() {
            try connections.wait(timeout: .zero)
            return
        }
        var until = timer.due
        if let due = requests.hunt.due { until = min(until, due) }
        for connection in connections.all {
            if let holdEnd = connection.holdEnd { until = min(until, holdEnd) }
        }
        let timeout = until == DueTimer.never ? nil : until.elapsed(since: MonotonicClock.now)
        // The sockets bring nothing while nothing is in flight.
        let spin = sender.openCount > 0 ? loop.configuration.spin : .zero
        try connections.wait(timeout: timeout, spinning: spin)
    }

    private func open(_ letter: ClientLoop.Letter, at now: Instant) {
        switch letter {
        case .data(let request): requests.accept(request, at: now)
        case .question(let request): requests.accept(request, at: now)
        case .cancelData(let request):
            request.isCancelled = true
            guard request.isOpen else { return }
            requests.pendingCount -= request.remaining
            request.settleRest(.cancelled(mayHaveHappened: request.isWrite))
        case .cancelQuestion(let request):
            request.isCancelled = true
            guard request.isOpen else { return }
            request.settle(.failure(.cancelled(mayHaveHappened: request.mayHaveHappened)))
        case .cancelGet(let ticket): gets.cancel(ticket: ticket)
        case .leaderLost(let endpoint, let loss): requests.lost(endpoint, loss, at: now)
        }
    }

    private func failEverything(_ error: CacheError) {
        _ = loop.inbox.take(into: &mail)
        for letter in mail.letters {
            switch letter {
            case .data(let request): request.settleRest(error)
            case .question(let request): request.settle(.failure(error))
            case .cancelData, .cancelQuestion, .cancelGet, .leaderLost: break
            }
        }
        for get in mail.gets { get.caller.resume(returning: .failed(error)) }
        loop.executor.adopt(mail.jobs)
        let doubt = CacheError(
            error.code, "it was sent and may have been done: \(error.message)",
            mayHaveHappened: true)
        sender.forEach { _, sent in
            switch sent.content {
            case .operations(let references):
                for reference in references {
                    requests.settle(reference, .failed(reference.request.isWrite ? doubt : error))
                }
            case .gets(let batch): gets.settleAll(of: batch, .failed(error))
            case .question(let request):
                request.settle(.failure(request.mayHaveHappened ? doubt : error))
            case .topology, .late, .lateQuestion, .probe: break
            }
        }
        requests.failAll(error)
    }

    // MARK: Plain gets

    func accept(_ get: SingleGet) {
        guard requests.openCount < ClientLimits.operationsPendingMax else {
            get.caller.resume(returning: .failed(.tooManyOpen))
            return
        }
        guard let connection = connection(for: get), connection.takesPlainGets,
            gets.append(get, at: connection, requests.view, at: turnBegan)
        else {
            get.caller.resume(returning: .untried)
            return
        }
    }

    /// The connection to the get's shard; `nil` if it was never opened.
    private func connection(for get: SingleGet) -> ShardConnection? {
        if let only = connections.ofOnlyShard { return only }
        guard let topology = requests.topology else { return nil }
        let number = requests.routing.shardOfPlainGet(
            for: RouteHash(of: get.key.bytes, in: get.namespace)
        ) { [connections] in connections.mayAnswer($0, in: topology) }
        return number.flatMap { connections[$0] }
    }

    // MARK: Sending

    /// Sends the queued messages of a connection, until its socket is full. Then plain gets that
    /// wait in messages of their own return to the general path.
    func flush(_ connection: ShardConnection, at now: Instant) throws(ZeroMQError) {
        if try sender.flush(connection, requests.view, at: now) {
            try gets.flush(connection, by: sender, at: now)
        } else {
            gets.giveBackAll(of: connection, at: now)
        }
    }
}

/// A session's demands rest on claims of nodes. If a claim is in doubt, the publisher is asked.
extension ClientWorker {
    func saw(_ position: LogPosition, from connection: ShardConnection, at now: Instant) {
        if loop.saw(position, by: connection.nodeID) { askForHead(at: now) }
    }

    /// A shard did not reach the demanded position in time. Perhaps it lags; perhaps another node
    /// claimed a position that the log never had.
    func foundBehind(at now: Instant) {
        if loop.position.isUnconfirmed { askForHead(at: now) }
    }

    private func askForHead(at now: Instant) {
        guard now >= nextHeadQuestion else { return }
        nextHeadQuestion = DueTimer.never
        let request = AdminRequest(ofHeadUntil: now.advanced(by: ClientLimits.attemptTimeout))
        request.whenSettled = { [weak self] result in self?.toldHead(result, askedAt: now) }
        loop.change { $0.asks() }
        requests.accept(request, at: now)
    }

    private func toldHead(_ result: Result<[UInt8], CacheError>, askedAt asked: Instant) {
        nextHeadQuestion = asked.advanced(by: ClientLimits.headPause)
        do throws(CacheError) {
            let answer = try AdminRequest.decode(
                try result.get(), .followed, Followed.init(decoding:))
            _ = loop.change { $0.wasAnswered(head: answer.head) }
        } catch {
            // The publisher is down, or this key has no permission for the question: the node's
            // claim stands.
            loop.change { $0.wasNotAnswered() }
        }
    }
}
