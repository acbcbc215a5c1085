/// What `--verify` checked, and what it found.
package struct VerificationFigures: Equatable, Sendable {
    /// Answers that a node vouched for.
    package var freshCount: UInt64 = 0
    /// Of these: asked for after something was promised of the key. Only they say how old an answer
    /// may be.
    package var promisedCount: UInt64 = 0
    /// Answers that were marked stale, and unfenced: only their bytes can be wrong.
    package var staleCount: UInt64 = 0
    package var unfencedCount: UInt64 = 0
    /// Always right.
    package var missCount: UInt64 = 0
    /// Fills that a node refused, because the key was invalidated meanwhile or for another reason.
    package var fillsRefused: UInt64 = 0
    /// Versions that were made: each is a new value of a key in the thread's database.
    package var changeCount: UInt64 = 0
    /// Receipts that say that every node obeyed; only these promise anything.
    package var receiptsComplete: UInt64 = 0
    package var receiptsIncomplete: UInt64 = 0
    /// All that were seen, also those that are not in ``violations``.
    package var violationCount: UInt64 = 0
    /// The first ones, in full.
    package var violations: [ViolationFigures] = []
    /// Whether a violation ended the run before its time.
    package var endedTheRun = false

    package init() {}

    /// Answers that showed something which was held against what it may be.
    package var answersChecked: UInt64 { freshCount + staleCount + unfencedCount }

    /// Adds what another thread or process checked.
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
