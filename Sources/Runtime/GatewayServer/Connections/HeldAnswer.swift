import CacheHTTP

/// An answer, and the bytes reserved for it in the budget.
struct HeldAnswer: Sendable {
    var answer: Answer
    /// To be returned once it is sent.
    var heldBytes = 0

    init(_ answer: Answer) { self.answer = answer }
}
