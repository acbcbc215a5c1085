import CacheModel

/// One write that is not over.
struct QueuedWrite: Sendable {
    /// Whether it would survive.
    enum Keeping: Equatable, Sendable {
        case memory
        /// The journal was told of it by the order of this number.
        case ordered(UInt64)
        case durable
    }

    /// How far it is.
    enum Course: Equatable, Sendable {
        case waiting
        /// The origin is being told.
        case trying
        /// The origin has said this; now everybody is told that the key has changed.
        case announcing(End)
        /// They could not be told yet.
        case owing(End)
    }

    enum End: Equatable, Sendable {
        case taken
        case rejected(WriteRejection)
    }

    var content: OriginWrite
    /// Who waits for it.
    var ticket: WriteTicket?
    var patience: Duration
    /// Wall time, in milliseconds since 1970.
    var askedAt: UInt64
    var keeping = Keeping.memory
    var course = Course.waiting
    /// Whether it finds out, for all of its namespace, if the origin is back.
    var isProbe = false
    var attemptCount = 0
    var lastFailure: LoadFailure?
    /// What its origin said to it under its old name, until the journal holds it under this one.
    var rejectedBefore: WriteRejection?

    var isDirect: Bool { keeping == .memory }

    /// Whether it is a matter of one answer that who comes after it can wait for.
    var isPassing: Bool {
        guard isDirect else { return false }
        if case .owing = course { return false }
        return true
    }
}
