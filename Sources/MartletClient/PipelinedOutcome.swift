import CacheWire

/// What became of one pipelined operation.
package enum PipelinedOutcome: UInt8, Sendable, CaseIterable {
    case hit
    case stale
    case miss
    case stored
    /// BUSY or DEFERRED: not done, for want of room.
    case busy
    case behind
    /// Answered, but neither done nor found.
    case refused
    /// No answer will come: it could not be sent, or was given up.
    case lost

    /// A status of a later protocol counts as neither done nor found.
    init(_ status: ResultStatus?) {
        switch status {
        case .hit: self = .hit
        case .stale: self = .stale
        case .miss: self = .miss
        case .stored: self = .stored
        case .busy, .deferred: self = .busy
        case .behind: self = .behind
        case .removed, .touched, .received, .refused, .changed, .failed, nil: self = .refused
        }
    }
}
