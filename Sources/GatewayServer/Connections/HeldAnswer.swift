import CacheHTTP

/// An answer, and how many bytes the budget holds for it already.
struct HeldAnswer: Sendable {
    var answer: Answer
    var heldBytes = 0
    /// What goes with it, whatever becomes of it.
    var fields = FieldList()

    init(_ answer: Answer) { self.answer = answer }
}
