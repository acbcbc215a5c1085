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
        /// A client that was answered at its deadline, before the log answered.
        case answered(Requester)
    }

    var origin: Origin
    let request: InvalidateRequest
    /// Of a client's request; never, for others.
    var deadline = Instant(nanoseconds: .max)
    /// Of the message; 0 if there was none.
    var bytes = 0
    /// Whether an earlier append of it may be in a log that several publishers lead.
    var isUncertain = false

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
