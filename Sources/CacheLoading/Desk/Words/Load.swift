import CacheModel

/// A load that is not answered yet.
struct Load {
    enum State {
        /// At its gate: for a turn, or resting between two attempts.
        case waiting(LoadQueue.Place)
        /// The attempt is at the origin. Becomes `waiting` if it fails and is worth another.
        case trying(AttemptNumber)
    }

    /// As it was asked for: its timeout is the whole load's.
    let request: OriginRequest
    let gate: GateNumber
    let deadline: Instant
    var urgency: LoadUrgency
    /// Begun so far.
    var attemptCount = 0
    var state: State
}
