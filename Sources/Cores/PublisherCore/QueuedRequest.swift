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
    }

    let origin: Origin
    let request: InvalidateRequest
    /// Of a client's request; never, for others.
    var deadline = Instant(nanoseconds: .max)
    /// Of the message; 0 if there was none.
    var bytes = 0

    /// The client that waits; `nil` if none does.
    var requester: Requester? {
        if case .client(let requester) = origin { requester } else { nil }
    }
}

/// An invalidation with a number, new or from an earlier attempt.
struct PlacedRequest {
    let queued: QueuedRequest
    let position: LogPosition
}
