/// The counts and findings of `--verify`.
package struct VerificationFigures: Equatable, Sendable {
    /// Answers that a node vouched for.
    package var freshCount: UInt64 = 0
    /// Fresh answers to gets of keys with a promised version. Only they can be too old.
    package var promisedCount: UInt64 = 0
    /// Answers that were marked stale, and unfenced: only their bytes can be wrong.
    package var staleCount: UInt64 = 0
    package var unfencedCount: UInt64 = 0
    /// Misses; always right.
    package var missCount: UInt64 = 0
    /// Fills that a node refused, because the key was invalidated meanwhile or for another reason.
    package var fillsRefused: UInt64 = 0
    /// New versions: each is a new value of a key in the thread's database.
    package var changeCount: UInt64 = 0
    /// Receipts that say that every node has applied the record; only these promise anything.
    package var receiptsComplete: UInt64 = 0
    package var receiptsIncomplete: UInt64 = 0
    /// All violations, including those that are not in ``violations``.
    package var violationCount: UInt64 = 0
    /// The first violations, with all details.
    package var violations: [ViolationFigures] = []
    /// Whether a violation ended the run before its time.
    package var endedTheRun = false

    package init() {}

    /// Judged answers with a value.
    package var answersChecked: UInt64 { freshCount + staleCount + unfencedCount }

    /// Adds the counts of another thread or process.
    package mutating func merge(_ other: VerificationFigures) {
        freshCount += other.freshCount
        promisedCount += other.promisedCount
        staleCount += other.staleCount
        unfencedCount += other.unfencedCount
        missCount += other.missCount
        fillsRefused += other.fillsRefused
        changeCount += other.changeCount
        receiptsComplete += other.receiptsComplete
        receiptsIncomplete += other.receiptsIncomplete
        violationCount += other.violationCount
        violations += other.violations
        endedTheRun = endedTheRun || other.endedTheRun
    }
}

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
