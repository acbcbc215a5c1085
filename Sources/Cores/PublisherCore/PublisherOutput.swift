import ByteCoding
import CacheAccess
import CacheModel
import CacheWire

/// The output of the core: the actions of the current call, and the counters.
///
/// Components append to it; none of them reads what another has appended.
struct PublisherOutput: ~Copyable {
    /// The actions of the current call, in order. Between calls it is empty: each entry point swaps
    /// in the buffer of its caller.
    var actions: [PublisherAction] = []
    var statistics = PublisherStatistics()
    /// Whether events are reported for the audit log: ``PublisherAction/audit(_:)``.
    var isAudited = false
    private var writer = ByteWriter(capacityBytes: 64 << 10)

    /// Sends the message that `encode` writes, unless it exceeds a frame.
    mutating func reply(to requester: Requester, _ encode: (inout ByteWriter) -> Void) {
        let frame = encoded(encode)
        guard frame.count <= WireLimits.frameBytesMax else {
            return refuse(
                requester, .outOfRange, "the answer is longer than a frame of 1048576 bytes")
        }
        actions.append(.reply(requester.peer, frame, of: requester.principal))
    }

    /// Refuses a message.
    ///
    /// - Parameter retryAfter: in milliseconds; `nil`: the default for `busy`, else none.
    mutating func refuse(
        _ requester: Requester, _ code: ErrorCode, _ sentence: String, retryAfter: UInt32? = nil
    ) {
        statistics.refused += 1
        var error = ErrorReply(code, sentence)
        if code == .busy {
            statistics.busy += 1
            error.retryAfterMilliseconds = retryAfter ?? PublisherLimits.retryAfterMilliseconds
        } else if let retryAfter {
            error.retryAfterMilliseconds = retryAfter
        }
        reply(to: requester) { error.encode(requestID: requester.requestID, into: &$0) }
    }

    /// Sends the message that `encode` writes to all subscribers.
    mutating func broadcast(_ encode: (inout ByteWriter) -> Void) {
        actions.append(.broadcast(encoded(encode)))
    }

    /// Sends records to all subscribers, in frames of a bounded size.
    ///
    /// - Parameter isLazy: whether they may be acknowledged later.
    mutating func broadcast(_ batch: [SealedRecord], isLazy: Bool) {
        var rest = batch[...]
        while !rest.isEmpty {
            let part = rest.prefix(thatFits: PublisherLimits.broadcastBytesMax)
            let run = RecordRun(records: Array(part), isLazy: isLazy)
            broadcast { run.encode(requestID: 0, into: &$0) }
            rest = rest.dropFirst(part.count)
        }
    }

    /// The bytes that `encode` writes.
    mutating func encoded(_ encode: (inout ByteWriter) -> Void) -> [UInt8] {
        writer.removeAll()
        encode(&writer)
        return writer.array
    }

    /// Reports an event for the audit log; not if `party` is `nil`.
    mutating func audit(_ deed: AuditEvent.Deed, by party: AuditParty?) {
        guard isAudited, let party else { return }
        actions.append(.audit(AuditEvent(deed, by: party)))
    }

    /// Reports orders of clients that are in the log. docs/decisions/0056 gives the reasons.
    ///
    /// An order that was refused because a limit was reached had no effect and gets no line.
    ///
    /// - Parameter position: of the first new record; `nil` if none is new.
    mutating func audit(_ placed: [PlacedRequest], newSince position: LogPosition?) {
        guard isAudited else { return }
        for one in placed {
            guard let sender = one.queued.sender else { continue }
            let request = one.queued.request
            let deed = AuditEvent.Deed.invalidated(
                .init(request.scopes, request.strength), at: one.position,
                wait: request.wait.description,
                isRepeated: position.map { one.position < $0 } ?? true)
            audit(deed, by: sender.party)
        }
    }
}
