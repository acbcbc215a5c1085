import CacheModel

/// One write that is not over.
struct QueuedWrite: Sendable {
    enum Keeping: Equatable, Sendable {
        case memory
        /// Contained in the journal order of this number.
        case ordered(UInt64)
        case durable
    }

    enum Course: Equatable, Sendable {
        case waiting
        case trying
        /// It is sent to the node that owns the key.
        case forwarding
        /// The origin has answered; the invalidation of the key is being published.
        case announcing(End)
        case owing(End)
    }

    enum End: Equatable, Sendable {
        case taken
        case rejected(WriteRejection)
    }

    var content: OriginWrite
    /// The shard's ticket that waits for it.
    var ticket: WriteTicket?
    var patience: Duration
    /// Wall time, in milliseconds since 1970.
    var askedAt: UInt64
    var keeping = Keeping.memory
    var course = Course.waiting
    /// Whether it is the probe, for its whole namespace, of whether the origin is back.
    var isProbe = false
    var attemptCount = 0
    var lastFailure: LoadFailure?
    /// The origin's refusal of it under its old name, until the journal contains it under this one.
    var rejectedBefore: WriteRejection?
    /// The record that gave the key to this node; `nil`: an operator has it written whatever other
    /// nodes have written.
    var ownedSince: LogPosition? = LogPosition.none
    /// Whether another node has forwarded it.
    var isForwarded = false

    var isDirect: Bool { keeping == .memory }

    /// Whether it only awaits one answer, so that later writes of the key can wait for it.
    var isPassing: Bool {
        guard isDirect else { return false }
        if case .owing = course { return false }
        return true
    }
}
