import CacheModel

/// A load without an answer.
struct Load {
    enum State {
        /// At its gate: waiting for a turn, or resting between two attempts.
        case waiting(LoadQueue.Place)
        /// The attempt is at the origin. Becomes `waiting` if it fails and is worth another.
        case trying(AttemptNumber)
    }

    /// As requested: its timeout is for the whole load.
    let request: OriginRequest
    let gate: GateNumber
    let deadline: Instant
    var urgency: LoadUrgency
    /// Attempts begun so far.
    var attemptCount = 0
    var state: State

    func timeLeft(now: Instant) -> Duration { deadline.elapsed(since: now) }

    /// Whether an attempt that begins now has at least half of the load's time. With less, a
    /// timeout says more about the queue than about the origin.
    func hasFairTime(now: Instant) -> Bool { timeLeft(now: now) * 2 >= request.timeout }
}
