/// One wrong answer, with what had happened to its key.
package struct ViolationFigures: Hashable, Sendable {
    /// Any bytes; made harmless where they are shown.
    package var key: [UInt8]
    /// What is wrong with the answer, in one sentence.
    package var sentence: String
    /// Name of the phase; `nil` if it was in none.
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
