import ByteCoding
import CacheClientCore
import CacheModel
import CacheWire
import Threading

/// One question to a publisher or a shard, and the frame that answers it.
///
/// Sendable without the compiler's proof, by the rule of ``DataRequest``.
final class AdminRequest: @unchecked Sendable {
    enum Target: Sendable {
        case publisher
        case endpoint(String)
        /// Any endpoint: the request is for a topology newer than the known one.
        case topology
    }

    let target: Target
    /// The whole message, with request id 0.
    let message: [UInt8]
    var schedule: RetrySchedule
    private(set) var outcome: Result<[UInt8], CacheError>?
    var continuation: CheckedContinuation<Void, Never>?
    /// ``ClientLoop/sessionNumber`` at the last sending. Only the loop's thread writes it; it is
    /// read after the request is settled.
    var session: UInt64 = 0
    /// Only the loop's thread touches these three.
    var isOpen = false
    var isCancelled = false
    /// Whether an attempt got no answer and may have been executed.
    private(set) var isInDoubt = false
    /// Receives the outcome on the loop's thread, for questions that the loop itself asks.
    var whenSettled: ((Result<[UInt8], CacheError>) -> Void)?

    /// - Parameter encode: writes the message, with request id 0.
    init(_ target: Target, _ schedule: RetrySchedule, _ encode: (inout ByteWriter) -> Void) {
        self.target = target
        self.schedule = schedule
        var writer = ByteWriter(capacityBytes: 128)
        encode(&writer)
        message = writer.array
    }

    /// Asks the publisher for the head of its log.
    convenience init(ofHeadUntil deadline: Instant) {
        var request = FollowRequest(after: .none, limit: 1, holdMilliseconds: 0)
        request.isFromHead = true
        self.init(.publisher, RetrySchedule(.read, deadline: deadline)) {
            request.encode(requestID: 0, into: &$0)
        }
    }

    var deadline: Instant { schedule.deadline }
    var isSettled: Bool { outcome != nil }
    var mayHaveHappened: Bool { schedule.effect != .read }

    /// Whether it is for the publisher that leads, whichever that is.
    var isForPublisher: Bool { if case .publisher = target { true } else { false } }

    /// A message without an answer may have been executed, whatever the answer to the next one.
    ///
    /// - Returns: whether to ask again; otherwise it is settled.
    func wasSilent(_ peerName: String, at now: Instant) -> Bool {
        guard case .again = schedule.failed(.silent, at: now) else {
            settle(.failure(.silence(of: peerName, mayHaveHappened: mayHaveHappened)))
            return false
        }
        isInDoubt = mayHaveHappened
        return true
    }

    /// An attempt may have been executed, although its answer does not say so.
    func noteDoubt() { isInDoubt = mayHaveHappened }

    /// The other side refused it.
    ///
    /// - Returns: when to ask again; `nil` if it is settled.
    func wasRefused(_ error: CacheError, _ retryAfter: Duration?, at now: Instant) -> Instant? {
        guard error.isPassing,
            case .again(let due) = schedule.failed(.busy(retryAfter: retryAfter), at: now)
        else {
            settle(.failure(error))
            return nil
        }
        return due
    }

    /// Settles it, once, and resumes the caller.
    func settle(_ told: Result<[UInt8], CacheError>) {
        guard outcome == nil else { return }
        let result = isInDoubt ? told.mapError(\.inDoubt) : told
        outcome = result
        let caller = continuation
        continuation = nil
        SanitizerOrder.release(self)
        caller?.resume()
        whenSettled?(result)
    }

    static func decode<Value>(
        _ frame: [UInt8], _ type: MessageType,
        _ body: (MessageView) throws(WireRefusal) -> Value
    ) throws(CacheError) -> Value {
        let result: Result<Value, WireRefusal> = frame.withUnsafeBytes { bytes in
            Result { () throws(WireRefusal) in
                let message = try MessageView(decoding: bytes)
                guard message.type == type else {
                    throw WireRefusal(.malformed, "it is of another type than was asked for")
                }
                return try body(message)
            }
        }
        return try result.mapError {
            CacheError(
                .protocolViolation, "the answer cannot be read: \($0.sentence)",
                mayHaveHappened: true)
        }.get()
    }
}
