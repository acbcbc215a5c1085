/// One wrong answer, with the history of its key.
package struct ViolationFigures: Hashable, Sendable {
    /// Any bytes; escaped when shown.
    package var key: [UInt8]
    /// What is wrong with the answer, in one sentence.
    package var sentence: String
    /// Name of the phase; `nil` outside of phases.
    package var phase: String?
    /// Seconds from the start of the run to the answer.
    package var atSeconds: Double?
    /// Changes, receipts, fills and answers of the key, the oldest first, a line each.
    package var history: [String] = []

    package init(key: [UInt8], sentence: String) {
        self.key = key
        self.sentence = sentence
    }
}
