import CacheModel
import CacheVerification
import MartletClient

/// One thread's oracle, and its findings.
struct ThreadOracle {
    /// Wrong answers to keep with all details.
    private static let violationsMax = 10

    var oracle: AnswerOracle
    private let stop: StopSignal
    /// All but what the oracle counts itself.
    private var counted = VerificationFigures()
    private var wrongKeys: Set<Int> = []

    init(_ oracle: AnswerOracle, stop: StopSignal) {
        self.oracle = oracle
        self.stop = stop
    }

    /// The database has a new value, and its invalidation is about to be sent.
    ///
    /// - Returns: the ticket to pass with the receipt.
    mutating func change(_ key: Int, at now: Instant) -> InvalidationTicket {
        counted.changeCount += 1
        oracle.changed(key, at: now)
        return oracle.invalidationSent(key, at: now)
    }

    /// A fill was refused.
    mutating func fillRefused() { counted.fillsRefused += 1 }

    mutating func receipt(
        _ ticket: InvalidationTicket, _ outcome: PipelinedOutcome, _ position: LogPosition,
        at now: Instant
    ) {
        switch outcome {
        case .invalidated:
            counted.receiptsComplete += 1
            oracle.receipt(ticket, isComplete: true, position: position, at: now)
        case .unconfirmed:
            counted.receiptsIncomplete += 1
            oracle.receipt(ticket, isComplete: false, position: position, at: now)
        default:
            oracle.receiptMissing(ticket, at: now)
        }
    }

    /// Judges an answer; a wrong one ends the run.
    ///
    /// - Returns: the wrong answer, unless one was reported for that key before.
    mutating func judge(
        _ answer: JudgedAnswer, _ value: UnsafeRawBufferPointer, at now: Instant
    ) -> ViolationFigures? {
        guard let wrong = oracle.judge(answer, value: value, at: now) else { return nil }
        stop.raise(.violation)
        guard counted.violations.count < Self.violationsMax, wrongKeys.insert(answer.key).inserted
        else { return nil }
        var violation = ViolationFigures(key: [], sentence: wrong.description)
        violation.history = oracle.history(of: answer.key)
        return violation
    }

    mutating func keep(_ violation: ViolationFigures) { counted.violations.append(violation) }

    /// The counts of all phases so far.
    var figures: VerificationFigures {
        var figures = counted
        figures.freshCount = UInt64(oracle.tally.freshCount)
        figures.promisedCount = UInt64(oracle.tally.promisedCount)
        figures.staleCount = UInt64(oracle.tally.staleCount)
        figures.unfencedCount = UInt64(oracle.tally.unfencedCount)
        figures.missCount = UInt64(oracle.tally.missCount)
        figures.violationCount = UInt64(oracle.tally.wrongCount)
        figures.endedTheRun = !counted.violations.isEmpty
        return figures
    }
}
