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

    func timeLeft(now: Instant) -> Duration { deadline.elapsed(since: now) }

    /// Whether an attempt that begins now has at least half of the load's time. If it has less,
    /// that it times out says more of the queue than of the origin.
    func hasFairTime(now: Instant) -> Bool { timeLeft(now: now) * 2 >= request.timeout }
}
