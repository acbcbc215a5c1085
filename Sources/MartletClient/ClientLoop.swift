import CacheClientCore
import CacheModel
import CacheWire
import Threading
import ZeroMQ

/// What the callers of one client and its thread share: a letter box and a bell.
///
///     any task ──▶ perform ──▶ inbox ──bell──▶ ┌──────────────┐ ══DEALER══▶ shard 0
///     any task ──▶ perform ──▶ inbox           │ ClientWorker │ ══DEALER══▶ shard 1
///        ▲                                     │ (own thread) │ ══DEALER══▶ publisher
///        └──────────── continuation ◀───────── └──────────────┘
///
/// The inbox is locked for an append; the bell rings once for however many letters lie in it.
final class ClientLoop: Sendable {
    enum Letter {
        case data(DataRequest)
        case question(AdminRequest)
        case cancelData(DataRequest)
        case cancelQuestion(AdminRequest)
        case refreshTopology
    }

    private struct Inbox {
        var letters: [Letter] = []
        var isClosing = false
        var hasEnded = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let configuration: CacheClientConfiguration
    let context: Context
    let wakeup: Wakeup
    private let inbox = Guarded(Inbox())
    private let session = Guarded(SessionPosition())
    private let latest = Guarded<Topology?>(nil)

    /// Starts the thread. Nothing is connected yet.
    init(_ configuration: CacheClientConfiguration, seeds: [Endpoint]) throws(CacheError) {
        self.configuration = configuration
        do {
            context = try Context()
            wakeup = try Wakeup()
        } catch {
            throw CacheError(.disconnected, "the system has no room for a client: \(error)")
        }
        do {
            _ = try OwnedThread(name: "client") { [self] in
                ClientWorker(self, seeds: seeds).run()
                ended()
            }
        } catch {
            throw CacheError(.disconnected, "\(error)")
        }
    }

    // MARK: The caller's side

    /// Carries a request out; every operation has an outcome afterwards.
    func perform(_ request: DataRequest) async {
        guard !request.operations.isEmpty else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                request.continuation = continuation
                if !submit(.data(request)) { request.settleRest(.closed) }
            }
        } onCancel: {
            _ = submit(.cancelData(request))
        }
        SanitizerOrder.acquire(request)
    }

    /// Asks a question and hands out the frame that answers it.
    func ask(_ request: AdminRequest) async throws(CacheError) -> [UInt8] {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                request.continuation = continuation
                if !submit(.question(request)) { request.settle(.failure(.closed)) }
            }
        } onCancel: {
            _ = submit(.cancelQuestion(request))
        }
        SanitizerOrder.acquire(request)
        guard let outcome = request.outcome else {
            preconditionFailure("a question is settled before its caller goes on")
        }
        return try outcome.get()
    }

    /// The topology of now, waited for if there is none yet.
    func topology(deadline: Instant) async throws(CacheError) -> Topology {
        if let known = latest.withLock({ $0 }) { return known }
        return try await newerTopology(deadline: deadline)
    }

    /// The topology, asked for anew.
    func newerTopology(deadline: Instant) async throws(CacheError) -> Topology {
        let schedule = RetrySchedule(.read, deadline: deadline, seed: 0)
        _ = try await ask(AdminRequest(.topology, message: [], schedule: schedule))
        guard let known = latest.withLock({ $0 }) else {
            preconditionFailure("a topology is installed before it is announced")
        }
        return known
    }

    private func submit(_ letter: Letter) -> Bool {
        let (isOpen, isFirst) = inbox.withLock { inbox in
            guard !inbox.isClosing else { return (false, false) }
            inbox.letters.append(letter)
            return (true, inbox.letters.count == 1)
        }
        if isFirst { wakeup.signal() }
        return isOpen
    }

    /// Tells the thread to fail what is open and to end. Returns at once.
    func beginClosing() {
        inbox.withLock { $0.isClosing = true }
        wakeup.signal()
    }

    /// Closes and waits until the thread has let go of its sockets.
    func close() async {
        beginClosing()
        await withCheckedContinuation { continuation in
            let hasEnded = inbox.withLock { inbox in
                if !inbox.hasEnded { inbox.waiters.append(continuation) }
                return inbox.hasEnded
            }
            if hasEnded { continuation.resume() }
        }
        SanitizerOrder.acquire(self)
    }

    var position: SessionPosition { session.withLock { $0 } }

    // MARK: The thread's side

    /// Empties the inbox.
    ///
    /// - Returns: the letters, and whether the client is being closed.
    func takeLetters() -> (letters: [Letter], isClosing: Bool) {
        inbox.withLock { inbox in
            let letters = inbox.letters
            inbox.letters = []
            return (letters, inbox.isClosing)
        }
    }

    func saw(_ position: LogPosition) { session.withLock { $0.saw(position) } }

    func wrote(_ position: LogPosition) { session.withLock { $0.wrote(position) } }

    func publish(_ topology: Topology) { latest.withLock { $0 = topology } }

    private func ended() {
        context.terminate()
        let waiters = inbox.withLock { inbox in
            inbox.hasEnded = true
            let waiters = inbox.waiters
            inbox.waiters = []
            return waiters
        }
        SanitizerOrder.release(self)
        for waiter in waiters { waiter.resume() }
    }
}
