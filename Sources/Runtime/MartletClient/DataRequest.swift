import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import Threading

/// Operations of one call on their way through the loop, and their outcomes.
///
/// Sendable without the compiler's proof: the caller writes it before submitting it, the loop's
/// thread writes it until it finishes it, and then the caller reads it; never two at once. Only the
/// loop touches `isOpen` and `isCancelled`, at any time.
final class DataRequest: @unchecked Sendable {
    typealias Placement = NodeRouting.Placement

    struct Operation: Sendable {
        let route: RouteHash
        /// In the form of the message's body.
        let body: [UInt8]
        /// Size of the value in its answer, if known; 0 otherwise.
        let replyBytes: Int

        /// - Parameters:
        ///   - bodyBytes: expected bytes beside the key.
        ///   - append: writes the body of an operation on the bytes of a key.
        init(
            of key: CacheKey, in namespace: Namespace, bodyBytes: Int = 32, replyBytes: Int = 0,
            _ append: (UnsafeRawBufferPointer, inout ByteWriter) -> Void
        ) {
            route = RouteHash(of: key.bytes, in: namespace)
            var writer = ByteWriter(capacityBytes: key.bytes.count + bodyBytes)
            key.bytes.withUnsafeBytes { append($0, &writer) }
            body = writer.array
            self.replyBytes = replyBytes
        }
    }

    enum Outcome: Sendable {
        case answered(OperationAnswer)
        case failed(CacheError)
    }

    struct Progress: Sendable {
        var schedule: RetrySchedule
        /// Set once, by ``DataRequest/settle(_:_:)``; `nil` until then.
        fileprivate(set) var outcome: Outcome?
        var lastAnswer: OperationAnswer?
        /// Whether an earlier attempt may have got a lease in a lost answer.
        var isRepeated = false
        /// The node that was asked last, for operations that may bring a load lease.
        var asked: NodeID?
        var avoided: NodeIndex?
        /// Why the owner cannot be asked, if another node is asked to load instead.
        var ownerFailure: CacheError?
        /// Whether it must not share a message: in a shared one it was refused for lack of a
        /// permission, perhaps of another operation.
        var isAlone = false
    }

    private let envelope: Envelope
    /// Whether its misses ask for load leases.
    var wantsToken = false
    let placement: Placement
    let deadline: Instant
    let operations: [Operation]
    /// The earliest time to send it, after a failed attempt.
    private(set) var notBefore = Instant(nanoseconds: 0)
    var progress: [Progress]
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

    /// Continues a plain get after its first attempt. Only before it is performed.
    func goOn(after attempt: FailedAttempt) {
        notBefore = attempt.due
        progress[0].schedule = attempt.schedule
        progress[0].lastAnswer = attempt.answer
        progress[0].avoided = attempt.avoided
        progress[0].isAlone = attempt.isAlone
    }

    /// - Throws: ``CacheError/Code/invalidArgument`` for more operations than a call may have.
    static func check(count: Int) throws(CacheError) {
        guard count <= ClientLimits.operationsPerCallMax else {
            throw CacheError(
                .invalidArgument,
                "one call takes at most \(ClientLimits.operationsPerCallMax) keys; split it")
        }
    }

    static func answer(_ outcome: Outcome?) throws(CacheError) -> OperationAnswer {
        switch outcome {
        case .answered(let answer): return answer
        case .failed(let error): throw error
        case nil: preconditionFailure("an operation is settled before its caller goes on")
        }
    }

    /// Whether a lost answer leaves the effect unknown.
    var isWrite: Bool { envelope.type != .get }
    /// Whether it sends a part of a value ahead of its store.
    var isChunk: Bool { envelope.type == .chunk }

    var atLeastCluster: ClusterID { envelope.atLeastCluster }

    func envelope(of index: Int) -> Envelope {
        var shared = envelope
        shared.isAgain = wantsToken && progress[index].isRepeated
        if progress[index].ownerFailure != nil {
            let most = UInt32(clamping: ClientLimits.elsewhereAgeMax.wholeMilliseconds)
            shared.maxAgeMilliseconds = min(shared.maxAgeMilliseconds ?? most, most)
        }
        return shared
    }

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

    func failed(
        _ index: Int, _ failure: RetrySchedule.Failure, at now: Instant
    ) -> RetrySchedule.Decision {
        if failure != .deferred { progress[index].isRepeated = true }
        return progress[index].schedule.failed(failure, at: now)
    }

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
}

struct Envelope: Hashable, Sendable {
    var type: MessageType
    var namespace: Namespace
    var atLeast: LogPosition?
    /// The cluster of the position that the caller demands.
    var atLeastCluster = ClusterID.none
    /// The cluster of the position, if only the session demands it: other clusters are not asked
    /// for it.
    var sessionCluster = ClusterID.none
    var isFresh = false
    var policy: ReadPolicy?
    var maxAgeMilliseconds: UInt32?
    var maxStaleMilliseconds: UInt32?
    /// Whether no caller waits for the values. Prefetches share no message with other reads: a
    /// message is answered only when all its operations are done.
    var isPrefetch = false
    /// Whether it is a retry, at this node or another, after a lost answer.
    var isAgain = false
    /// Whether its stores bring tokens. The publisher orders stores without a token first, and
    /// their whole message waits for that.
    var bringsTokens = false
    var trace: TraceContext?

    var operationsPerMessageMax: Int {
        type == .chunk || isPrefetch ? 1 : ClientLimits.operationsPerMessageMax
    }
}

/// One operation of a request, as an entry of the loop's queues.
struct OperationReference {
    let request: DataRequest
    let index: Int

    var operation: DataRequest.Operation { request.operations[index] }
    var envelope: Envelope { request.envelope(of: index) }
    var isSettled: Bool { request.progress[index].outcome != nil }
    var isAlone: Bool { request.progress[index].isAlone }
}

extension Topology {
    /// Where every copy of a key may be: at its owner, or on every replica.
    var placements: [DataRequest.Placement] {
        kind == .sharded ? [.routed] : nodes.map { .node($0.id) }
    }
}
