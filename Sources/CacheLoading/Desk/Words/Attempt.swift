import CacheModel

/// An attempt that is not finished yet.
struct Attempt {
    let number: AttemptNumber
    /// `nil`: aborted. It only takes a place.
    var ticket: LoadTicket?
    let gate: GateNumber
    /// Whose share of the places it takes.
    var urgency: LoadUrgency
    let startedAt: Instant
    /// What it says counts only if nothing has changed at the gate since.
    let era: GateEra
    /// Of its load, when it began: see `Load.hasFairTime`.
    let hadFairTime: Bool
}
