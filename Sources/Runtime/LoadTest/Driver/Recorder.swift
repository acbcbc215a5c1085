import MartletClient

/// The measurements of one thread in one phase.
///
/// Counting costs some nanoseconds and allocates nothing, except at the end of each second.
struct Recorder {
    /// The counts of one kind.
    private struct Tally {
        var isUsed = false
        var operationCount: UInt64 = 0
        var keyCount: UInt64 = 0
        var repeatedCount: UInt64 = 0
        var valueBytes: UInt64 = 0
        var latency = LatencyHistogram.latencies()
        /// Keys by their outcome.
        var outcomes = [UInt64](repeating: 0, count: PipelinedOutcome.allCases.count)
    }

    private static let momentNanoseconds: UInt64 = 1_000_000_000

    private var tallies = MeasuredKind.allCases.map { _ in Tally() }
    private var moment = Moment()
    private var momentIndex = 0
    private var momentEnd: UInt64
    private var series = MomentSeries(momentSeconds: 1)
    private let startedAt: UInt64
    private let board: ProgressBoard?
    private let thread: Int
    /// When the last good answer to the load came.
    private(set) var lastAnswerAt: UInt64
    var schedule: ScheduleFigures?
    private var besideNotSentCount: UInt64 = 0

    /// - Parameter board: receives every second that is over.
    /// - Parameter thread: the number of the posting thread.
    init(startedAt: UInt64, board: ProgressBoard?, thread: Int = 0) {
        self.startedAt = startedAt
        self.board = board
        self.thread = thread
        momentEnd = startedAt + Self.momentNanoseconds
        lastAnswerAt = startedAt
    }

    /// Counts one key's answer.
    @inline(__always)
    mutating func answered(_ kind: MeasuredKind, _ outcome: PipelinedOutcome, bytes: Int) {
        tallies[Int(kind.rawValue)].keyCount &+= 1
        looked(kind, outcome, bytes: bytes)
        guard kind != .fill else { return }
        moment.keyCount &+= 1
        if !outcome.isGood { moment.errorCount &+= 1 }
    }

    /// Counts an answer that does not end its key's operation: the read before a write.
    @inline(__always)
    mutating func looked(_ kind: MeasuredKind, _ outcome: PipelinedOutcome, bytes: Int) {
        let index = Int(kind.rawValue)
        tallies[index].isUsed = true
        tallies[index].valueBytes &+= UInt64(truncatingIfNeeded: bytes)
        tallies[index].outcomes[Int(outcome.rawValue)] &+= 1
        switch outcome {
        case .hit, .stale: moment.hitCount &+= 1
        case .miss: moment.missCount &+= 1
        default: break
        }
    }

    /// Counts a request that is sent again: its key is on the way to another shard.
    mutating func repeated(_ kind: MeasuredKind) {
        tallies[Int(kind.rawValue)].repeatedCount &+= 1
    }

    /// Counts one operation's end. A failed operation has no latency: a refusal is quick and must
    /// not look good. A fill is counted separately: no caller waits for it.
    @inline(__always)
    mutating func finished(_ ending: Ending, now: UInt64) {
        let index = Int(ending.kind.rawValue)
        let isFill = ending.kind == .fill
        tallies[index].operationCount &+= 1
        if !isFill { moment.operationCount &+= 1 }
        guard ending.isGood else { return }
        if !ending.isAside { lastAnswerAt = now }
        let nanoseconds = now > ending.dueAt ? now - ending.dueAt : 0
        tallies[index].latency.note(nanoseconds: nanoseconds)
        if ending.isInvalidation {
            moment.invalidationLatency.note(nanoseconds: nanoseconds)
        } else if !isFill {
            moment.latency.note(nanoseconds: nanoseconds)
        }
    }

    /// Counts due requests that are never sent.
    mutating func notSent(_ count: UInt64) {
        schedule?.notSentCount += count
        moment.notSentCount += count
    }

    /// Counts invalidations beside the load that were due and are never sent.
    mutating func notSentBeside(_ count: UInt64) {
        besideNotSentCount += count
    }

    /// Ends the moments that are over.
    @inline(__always)
    mutating func passed(_ now: UInt64) {
        if now >= momentEnd { roll(now) }
    }

    private mutating func roll(_ now: UInt64) {
        while now >= momentEnd {
            close(seconds: 1)
            momentEnd += Self.momentNanoseconds
        }
    }

    private mutating func close(seconds: Double) {
        moment.seconds = seconds
        series.add(moment, at: Double(momentIndex))
        board?.post(moment, index: momentIndex, of: thread)
        moment = Moment()
        momentIndex += 1
    }

    /// The measurements of the whole phase, which ends at that moment.
    ///
    /// - Parameter invalidations: the kinds that a receipt of the publisher answers.
    mutating func figures(
        of name: String, invalidations: Set<MeasuredKind>, endedAt: UInt64
    ) -> PhaseFigures {
        roll(endedAt)
        let begin = momentEnd - Self.momentNanoseconds
        let rest = endedAt > begin ? Double(endedAt - begin) / 1e9 : 0
        if rest > 0.001 || moment.keyCount > 0 { close(seconds: rest) }
        var figures = PhaseFigures(name: name)
        figures.seconds = Double(endedAt - startedAt) / 1e9
        figures.series = series
        figures.schedule = schedule
        for kind in MeasuredKind.allCases {
            let tally = tallies[Int(kind.rawValue)]
            let notSentCount = kind == .invalidate ? besideNotSentCount : 0
            guard tally.isUsed || notSentCount > 0 else { continue }
            var operation = Self.figures(
                kind, tally, isInvalidation: invalidations.contains(kind))
            if notSentCount > 0 {
                operation.keyCount += notSentCount
                operation.errors["notSent"] = notSentCount
            }
            figures.operations.append(operation)
        }
        return figures
    }

    private static func figures(
        _ kind: MeasuredKind, _ tally: Tally, isInvalidation: Bool
    ) -> OperationFigures {
        var figures = OperationFigures(kind: kind.name, isInvalidation: isInvalidation)
        figures.operationCount = tally.operationCount
        figures.keyCount = tally.keyCount
        figures.repeatedCount = tally.repeatedCount
        figures.valueBytes = tally.valueBytes
        figures.latency = tally.latency
        for outcome in PipelinedOutcome.allCases {
            let count = tally.outcomes[Int(outcome.rawValue)]
            guard count > 0 else { continue }
            switch outcome {
            case .hit: figures.hitCount = count
            case .stale: figures.staleCount = count
            case .miss: figures.missCount = count
            case .stored, .removed, .invalidated: break
            case .unconfirmed, .busy, .behind, .refused, .lost:
                figures.errors["\(outcome)"] = count
            }
        }
        return figures
    }
}
