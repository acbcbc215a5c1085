import CacheHTTP

/// An answer, and how many bytes the budget holds for it.
struct HeldAnswer: Sendable {
    var answer: Answer
    /// To be given back once it is sent.
    var heldBytes = 0

    init(_ answer: Answer) { self.answer = answer }
}
