import CacheClientCore
import CacheModel
import CacheWire
import Threading

/// Operations of one call on their way through the loop, and the place their answers are put.
///
/// Sendable without the compiler's proof: the caller writes it before it submits it, the loop's
/// thread until it finishes it, and the caller reads it afterwards; never two at once.
/// `isOpen` and `isCancelled` are the loop's alone, at any time.
final class DataRequest: @unchecked Sendable {
    enum Placement: Sendable {
        /// The owner; in a replicated topology a near node.
        case routed
        /// The owner; in a replicated topology this near node: it has what was sent before.
        case near(NodeID)
        case node(NodeID)
    }

    struct Operation: Sendable {
        let route: RouteHash
        /// As it stands in the message's body.
        let body: [UInt8]
        /// What the value in its answer is known to take; 0 where it is not known.
        var replyBytes = 0
    }

    enum Outcome: Sendable {
        case answered(OperationAnswer)
        case failed(CacheError)
    }

    struct Progress: Sendable {
        var schedule: RetrySchedule
        var outcome: Outcome?
        /// What it was told before it was asked again.
        var lastAnswer: OperationAnswer?
        /// Whether an attempt may have been given what its answer did not bring here.
        var isRepeated = false
        /// Which node was asked last, of what may bring a load lease.
        var asked: NodeID?
        /// The replica that was silent last time.
        var avoided: NodeIndex?
        /// Why the owner cannot be asked, where another node is asked to load instead.
        var ownerFailure: CacheError?
        /// Not to share a message: with others it was refused for want of a right, perhaps of
        /// another's.
        var isAlone = false
    }

    private let envelope: Envelope
    /// Whether its misses ask for load leases.
    var wantsToken = false
    let placement: Placement
    let deadline: Instant
    let operations: [Operation]
    /// Not sent before this: an attempt before it failed.
    private(set) var notBefore = Instant(nanoseconds: 0)
    private(set) var progress: [Progress]
    private(set) var remaining: Int
    var continuation: CheckedContinuation<Void, Never>?
    /// Only the loop's thread touches these two.
    var isOpen = false
    var isCancelled = false

    /// - Parameter attemptTimeout: how long the first attempt waits for an answer.
    init(
        _ envelope: Envelope, placement: Placement, deadline: Instant, operations: [Operation],
        attemptTimeout: Duration = ClientLimits.attemptTimeout
    ) {
        self.envelope = envelope
        self.placement = placement
        self.deadline = deadline
        self.operations = operations
        let effect: RetrySchedule.Effect = envelope.type == .get ? .read : .onceOnly
        progress = operations.map {
            Progress(
                schedule: RetrySchedule(
                    effect, deadline: deadline, seed: $0.route.rawValue,
                    attemptTimeout: attemptTimeout))
        }
        remaining = operations.count
    }

    /// Goes on where a plain get ended.
    convenience init(_ envelope: Envelope, _ operation: Operation, after attempt: FailedAttempt) {
        self.init(
            envelope, placement: .routed, deadline: attempt.schedule.deadline,
            operations: [operation])
        notBefore = attempt.due
        progress[0].schedule = attempt.schedule
        progress[0].lastAnswer = attempt.answer
        progress[0].avoided = attempt.avoided
        progress[0].isAlone = attempt.isAlone
    }

    /// Whether a lost answer leaves open what happened.
    var isWrite: Bool { envelope.type != .get }
    /// Whether it brings a part of a value ahead of its store.
    var isChunk: Bool { envelope.type == .chunk }

    /// Of which cluster the caller has the position that it asks for at least.
    var atLeastCluster: ClusterID { envelope.atLeastCluster }

    /// What an operation shares with those in its message.
    func envelope(of index: Int) -> Envelope {
        var shared = envelope
        shared.isAgain = wantsToken && progress[index].isRepeated
        if progress[index].ownerFailure != nil {
            let most = UInt32(clamping: ClientLimits.elsewhereAgeMax.wholeMilliseconds)
            shared.maxAgeMilliseconds = min(shared.maxAgeMilliseconds ?? most, most)
        }
        return shared
    }

    func isSettled(_ index: Int) -> Bool { progress[index].outcome != nil }

    /// Settles one operation, once; the last one resumes the caller.
    func settle(_ index: Int, _ outcome: Outcome) {
        guard progress[index].outcome == nil else { return }
        progress[index].outcome = outcome
        remaining -= 1
        if remaining == 0 {
            let caller = continuation
            continuation = nil
            SanitizerOrder.release(self)
            caller?.resume()
        }
    }

    func settleRest(_ error: CacheError) {
        for index in operations.indices { settle(index, .failed(error)) }
    }

    /// An attempt at one operation failed.
    func failed(
        _ index: Int, _ failure: RetrySchedule.Failure, at now: Instant
    ) -> RetrySchedule.Decision {
        if failure != .deferred { progress[index].isRepeated = true }
        return progress[index].schedule.failed(failure, at: now)
    }

    /// An answer that settles nothing yet.
    func heard(_ answer: OperationAnswer, _ index: Int) { progress[index].lastAnswer = answer }

    func goAlone(_ index: Int) { progress[index].isAlone = true }

    func wasSent(to node: NodeID?, _ index: Int) {
        if wantsToken { progress[index].asked = node }
    }

    /// Whether another node may load its key while the owner does not answer: it is a read of a
    /// value, without a token, a named node or `cache-only`.
    var mayGoElsewhere: Bool {
        guard case .routed = placement else { return false }
        return envelope.type == .get && !wantsToken && !envelope.isPrefetch
            && envelope.policy != .cacheOnly
    }

    /// - Parameter ownerFailure: `nil`: it goes to the owner.
    func goes(because ownerFailure: CacheError?, _ index: Int) {
        progress[index].ownerFailure = ownerFailure
    }

    func avoid(_ node: NodeIndex?, _ index: Int) { progress[index].avoided = node }
}

/// What the operations of one message share.
struct Envelope: Hashable, Sendable {
    var type: MessageType
    var namespace: Namespace
    var atLeast: LogPosition?
    /// Of which cluster the caller has that position.
    var atLeastCluster = ClusterID.none
    /// Of which cluster it is where only the session asks for it: elsewhere nothing is asked for.
    var sessionCluster = ClusterID.none
    var isFresh = false
    var policy: ReadPolicy?
    var maxAgeMilliseconds: UInt32?
    var maxStaleMilliseconds: UInt32?
    /// Whether nobody waits for the values. Not to be joined with what somebody waits for: a
    /// message is answered when all of it is.
    var isPrefetch = false
    /// Whether it was asked before, of this node or another, and the answer did not come.
    var isAgain = false
    /// Whether its stores bring tokens. Those without have the publisher order them first, and all
    /// of their message waits for that.
    var bringsTokens = false
    var trace: TraceContext?

    /// How many operations share a message.
    var operationsPerMessageMax: Int {
        type == .chunk || isPrefetch ? 1 : ClientLimits.operationsPerMessageMax
    }
}

/// One operation of a request, as the loop's queues name it.
struct OperationReference {
    let request: DataRequest
    let index: Int

    var operation: DataRequest.Operation { request.operations[index] }
    var envelope: Envelope { request.envelope(of: index) }
    var isSettled: Bool { request.isSettled(index) }
    var isAlone: Bool { request.progress[index].isAlone }
}
