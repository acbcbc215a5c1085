import CacheClientCore
import CacheModel
import CacheWire
import Synchronization
import Threading
import ZeroMQ

/// The state that the callers of one client share with its thread: an inbox and a bell.
///
///     any task ──▶ perform ──▶ inbox ──bell──▶ ┌──────────────┐ ══DEALER══▶ shard 0
///     any task ──▶ read ─────▶ inbox           │ ClientWorker │ ══DEALER══▶ shard 1
///     task on the executor ──▶ read ─────────▶ │ (own thread) │ ══DEALER══▶ publisher
///        ▲                                     └──────────────┘
///        └──────────── continuation ◀────────────────┘
///
/// The inbox is locked for an append; the bell rings only if the thread sleeps.
///
/// Sendable without the compiler's proof: only the loop's thread touches `worker`, and the executor
/// recognizes that thread.
final class ClientLoop: @unchecked Sendable {
    enum Letter: Sendable {
        case data(DataRequest)
        case question(AdminRequest)
        case cancelData(DataRequest)
        case cancelQuestion(AdminRequest)
        case cancelGet(ticket: UInt64)
        /// A follower of the log reports that the publisher there does not lead, or is silent.
        case leaderLost(endpoint: String, LeaderLoss)
    }

    enum LeaderLoss: Hashable, Sendable {
        case denied(naming: String?)
        case silent
    }

    /// The position that reads must reach, and the number of the session it belongs to.
    private struct Session {
        var position = SessionPosition()
        var number: UInt64 = 0
    }

    let configuration: CacheClientConfiguration
    let context: Context
    let inbox: LoopInbox
    let executor: LoopExecutor
    private let session = Guarded(Session())
    /// Grows with every change of the session, so that the loop reads the session only then.
    private let sessionChanges = Atomic<UInt64>(1)
    private let latest = Guarded<Topology?>(nil)
    /// The cluster of that topology. A gateway reads it for every read, without waiting for a lock.
    private let latestCluster = Atomic(ClusterID.none.rawValue)
    private let confirmed = Atomic(false)
    /// Which publisher leads, for the threads that follow the log.
    let leader = LeaderNews()
    /// The load leases that loads have taken, or that were given back.
    private let loadRights = Guarded(LoadRights())
    let tickets = Atomic<UInt64>(0)
    private let end: Instant
    /// The worker while the thread runs; only for the loop's thread.
    private(set) var worker: ClientWorker?

    /// Starts the thread. It opens no connections yet.
    init(_ configuration: CacheClientConfiguration, seeds: [Endpoint]) throws(CacheError) {
        self.configuration = configuration
        end = MonotonicClock.now.advanced(by: configuration.lifetimeMax ?? .nanoseconds(Int64.max))
        do {
            context = try Context(keys: configuration.keys?.pair)
            inbox = try LoopInbox()
        } catch {
            throw CacheError(.disconnected, "the system has no room for a client: \(error)")
        }
        executor = LoopExecutor(inbox)
        do {
            _ = try OwnedThread(name: "client") { [self] in run(ClientWorker(self, seeds: seeds)) }
        } catch {
            throw CacheError(.disconnected, "\(error)")
        }
    }

    private func run(_ worker: ClientWorker) {
        executor.begin()
        self.worker = worker
        worker.run()
        self.worker = nil
        context.terminate()
        let left = inbox.end()
        executor.end(left.jobs)
        SanitizerOrder.release(self)
        for waiter in left.waiters { waiter.resume() }
    }

    // MARK: The caller's side

    /// The end of a call that begins now.
    ///
    /// - Parameter timeout: `nil` is the timeout of the client.
    func deadline(_ timeout: Duration?) throws(CacheError) -> Instant {
        let patience = timeout ?? configuration.timeout
        guard patience > .zero else {
            throw CacheError(.invalidArgument, "a timeout is above zero")
        }
        return min(MonotonicClock.now.advanced(by: patience), end)
    }

    /// Executes a request; afterwards every operation has an outcome.
    func perform(_ request: DataRequest) async {
        guard !request.operations.isEmpty else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                request.continuation = continuation
                if !inbox.post(.data(request)) { request.settleRest(.closed) }
            }
        } onCancel: {
            _ = inbox.post(.cancelData(request))
        }
        SanitizerOrder.acquire(request)
    }

    func perform(_ requests: [DataRequest]) async {
        await withTaskGroup(of: Void.self) { group in
            for request in requests { group.addTask { await self.perform(request) } }
        }
    }

    /// Asks a question and returns the frame of the answer.
    func ask(_ request: AdminRequest) async throws(CacheError) -> [UInt8] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                request.continuation = continuation
                if !inbox.post(.question(request)) { request.settle(.failure(.closed)) }
            }
        } onCancel: {
            _ = inbox.post(.cancelQuestion(request))
        }
        SanitizerOrder.acquire(request)
        guard let outcome = request.outcome else {
            preconditionFailure("a question is settled before its caller goes on")
        }
        return try outcome.get()
    }

    /// Asks a question and reads the answer, which is of this type.
    func ask<Answer>(
        _ request: AdminRequest, _ type: MessageType,
        _ body: (MessageView) throws(WireRefusal) -> Answer
    ) async throws(CacheError) -> Answer {
        try AdminRequest.decode(try await ask(request), type, body)
    }

    /// The current topology; waits for the first one if there is none yet.
    func topology(deadline: Instant) async throws(CacheError) -> Topology {
        if let known = latestTopology { return known }
        return try await newerTopology(deadline: deadline)
    }

    func newerTopology(deadline: Instant) async throws(CacheError) -> Topology {
        _ = try await ask(AdminRequest(.topology, .init(.read, deadline: deadline)) { _ in })
        guard let known = latestTopology else {
            preconditionFailure("a topology is installed before it is announced")
        }
        return known
    }

    /// Closes the client and waits until the thread has released its sockets.
    func close() async {
        inbox.beginClosing()
        await inbox.waitForEnd()
        SanitizerOrder.acquire(self)
    }

    var isConfirmed: Bool { confirmed.load(ordering: .acquiring) }

    /// Takes the lease of a token, for a load or to give it back.
    ///
    /// - Returns: `false` if another load has taken it.
    func takesUp(_ token: FillToken) -> Bool { loadRights.withLock { $0.take(token) } }

    var latestTopology: Topology? { latest.withLock { $0 } }

    var cluster: ClusterID { ClusterID(latestCluster.load(ordering: .acquiring)) }

    var position: SessionPosition { session.withLock { $0.position } }

    /// The position that a read which begins now has to reflect.
    func demand(_ atLeast: LogPosition?) -> LogPosition? {
        position.demand(
            atLeast, readsYourWrites: configuration.readsYourWrites,
            readsMonotonically: configuration.readsMonotonically)
    }

    // MARK: The thread's side

    /// A new number whenever ``position`` may have changed.
    var sessionChange: UInt64 { sessionChanges.load(ordering: .acquiring) }

    /// A node claims that its answer reflects `position`.
    ///
    /// - Returns: whether to ask the publisher about it.
    func saw(_ position: LogPosition, by node: NodeID?) -> Bool {
        change { $0.saw(position, by: node) }
    }

    func wrote(_ position: LogPosition, by node: NodeID?) {
        change { $0.wrote(position, by: node) }
    }

    /// A new number whenever the client changes to another cluster.
    var sessionNumber: UInt64 { session.withLock { $0.number } }

    /// The client changes to another cluster: its positions are of another log.
    func beginSession() {
        alter { $0 = Session(number: $0.number + 1) }
    }

    /// The publisher reports that an invalidation of this client is at `position`.
    ///
    /// - Parameter number: ``sessionNumber`` when that publisher was asked. If the number has
    ///   changed, the position is of another cluster and is ignored.
    func wasOrdered(at position: LogPosition, in number: UInt64) {
        alter { session in
            if session.number == number { session.position.wasOrdered(at: position) }
        }
    }

    func change<Result: Sendable>(_ body: (inout SessionPosition) -> Result) -> Result {
        alter { body(&$0.position) }
    }

    private func alter<Result: Sendable>(_ body: (inout Session) -> Result) -> Result {
        session.withLock { session in
            let before = (session.position.seen, session.position.written)
            let result = body(&session)
            if (session.position.seen, session.position.written) != before {
                sessionChanges.wrappingAdd(1, ordering: .releasing)
            }
            return result
        }
    }

    func note(isConfirmed: Bool) { confirmed.store(isConfirmed, ordering: .releasing) }

    func publish(_ topology: Topology) {
        latest.withLock { $0 = topology }
        latestCluster.store(topology.cluster.rawValue, ordering: .releasing)
    }

    func read(
        _ key: CacheKey, in namespace: Namespace, _ options: GetOperation.Options,
        deadline: Instant
    ) async -> ReadEnding {
        guard !Task.isCancelled else { return .failed(.cancelled(mayHaveHappened: false)) }
        let ticket = tickets.wrappingAdd(1, ordering: .relaxed).newValue
        let ending = await withTaskCancellationHandler {
            await withUnsafeContinuation { caller in
                submit(
                    SingleGet(
                        key: key, namespace: namespace, options: options, deadline: deadline,
                        ticket: ticket, caller: caller))
                // The cancellation handler may have run before the get was in the inbox.
                if Task.isCancelled { _ = inbox.post(.cancelGet(ticket: ticket)) }
            }
        } onCancel: {
            _ = inbox.post(.cancelGet(ticket: ticket))
        }
        SanitizerOrder.acquire(self)
        return ending
    }

    private func submit(_ get: SingleGet) {
        if executor.isHome, let worker {
            worker.accept(get)
        } else if !inbox.post(get) {
            get.caller.resume(returning: .failed(.closed))
        }
    }
}
