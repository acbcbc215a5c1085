/// How many events to keep for histories.
package struct VerificationLimits: Hashable, Sendable {
    /// The last changes, invalidations, receipts and fills of all keys together; rounded up to a
    /// power of two. Each takes 56 bytes.
    package var deedCountMax: Int
    /// The last answers of all keys together; rounded up likewise. They are separate because there
    /// are many more of them.
    package var answerCountMax: Int

    package init(deedCountMax: Int, answerCountMax: Int) {
        precondition(deedCountMax > 0 && answerCountMax > 0, "a history holds something")
        self.deedCountMax = deedCountMax
        self.answerCountMax = answerCountMax
    }

    /// Four megabytes a thread.
    package static let standard = VerificationLimits(
        deedCountMax: 65_536, answerCountMax: 8_192)
}
