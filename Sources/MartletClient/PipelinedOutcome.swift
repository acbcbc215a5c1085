import CacheWire

/// What became of one pipelined operation.
package enum PipelinedOutcome: UInt8, Sendable, CaseIterable {
    case hit
    case stale
    case miss
    case stored
    /// The node has obeyed the invalidation that a removal is.
    case removed
    /// The invalidation is in the log, and everyone has obeyed who was to be waited for.
    case invalidated
    /// The invalidation is in the log, but not everyone has obeyed who was to be waited for.
    case unconfirmed
    /// BUSY or DEFERRED, of an operation or of its whole message: not done, for want of room.
    case busy
    case behind
    /// Answered with an error, or with what cannot be read: a change may have happened all the
    /// same.
    case refused
    /// No answer will come: it could not be sent, or was given up.
    case lost

    /// What a whole message was answered with that is not the answer to its operations.
    init(instead message: MessageView) {
        self = .refused
        guard message.type == .error else { return }
        do {
            if try ErrorReply(decoding: message).knownCode == .busy { self = .busy }
        } catch {
            // What it says cannot be told.
        }
    }

    /// A status of a later protocol is an answer that cannot be read.
    init(_ status: ResultStatus?) {
        switch status {
        case .hit: self = .hit
        case .stale: self = .stale
        case .miss: self = .miss
        case .stored: self = .stored
        case .removed: self = .removed
        case .busy, .deferred: self = .busy
        case .behind: self = .behind
        case .touched, .received, .refused, .changed, .failed, nil: self = .refused
        }
    }
}
