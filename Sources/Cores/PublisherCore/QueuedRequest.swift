import CacheModel
import CacheWire

/// An invalidation between its arrival and the append.
struct QueuedRequest {
    enum Origin {
        /// A client that waits for a receipt.
        case client(Requester)
        /// A repetition after the replica lag.
        case echo
        case slice(PacingID)
        case members(MembershipChange.Told)
        case slots(SlotRecord)
        /// A client that was answered at its deadline, before the log answered.
        case answered(Requester)
    }

    var origin: Origin
    let request: InvalidateRequest
    /// Of a client's request; never, for others.
    var deadline: Instant
    /// Of the message; 0 if there was none.
    var bytes: Int
    /// Whether an earlier append of it may be in a log that several publishers lead.
    var isUncertain = false

    /// One that appends a record of slots; no client waits for it.
    init(_ slots: SlotRecord) {
        var request = InvalidateRequest(
            scopes: [], wait: .all, timeoutMilliseconds: 0, operation: .none)
        request.issuer = .publisher
        self.init(origin: .slots(slots), request: request)
    }

    init(
        origin: Origin, request: InvalidateRequest,
        deadline: Instant = Instant(nanoseconds: .max), bytes: Int = 0
    ) {
        (self.origin, self.request) = (origin, request)
        (self.deadline, self.bytes) = (deadline, bytes)
    }

    /// The record that it has in the log.
    func record(after head: LogMark) -> InvalidationRecord {
        if case .slots(let slots) = origin {
            return InvalidationRecord(
                position: head.position.next, previousDigest: head.digest, slots: slots)
        }
        return InvalidationRecord(
            position: head.position.next, previousDigest: head.digest,
            operation: request.operation, strength: request.strength, scopes: request.scopes)
    }

    /// Whether it is of an epoch: in another one it is computed anew.
    var isOfItsEpoch: Bool { if case .slots = origin { true } else { false } }

    /// The client that sent it, whether it still waits or not.
    var sender: Requester? {
        if case .answered(let sender) = origin { sender } else { requester }
    }

    /// The client that waits; `nil` if none does.
    var requester: Requester? {
        if case .client(let requester) = origin { requester } else { nil }
    }
}

/// An invalidation with a number, new or from an earlier attempt.
struct PlacedRequest {
    var queued: QueuedRequest
    let position: LogPosition
}
