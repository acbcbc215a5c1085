import CacheModel

/// An attempt that is not finished.
struct OpenAttempt {
    let number: AttemptNumber
    /// `nil`: aborted. It only uses a slot.
    var ticket: LoadTicket?
    let gate: GateNumber
    /// The urgency that determines its share of the slots.
    var urgency: LoadUrgency
    let startedAt: Instant
    /// Its outcome counts only if nothing has changed at the gate since.
    let era: GateEra
    /// Of its load, when the attempt began: see `Load.hasFairTime`.
    let hadFairTime: Bool
}
