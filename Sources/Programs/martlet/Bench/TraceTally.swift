import LoadTest

/// The counts of a replay, of one worker or of all.
struct TraceTally: Sendable {
    enum Outcome: Hashable {
        case hit
        case miss
        /// The cluster was of no use; by what, in one word.
        case failed(String)
    }

    private var figures = OperationFigures(kind: "load")
    private var series = MomentSeries(momentSeconds: 1)
    /// Of requests that are due at a time.
    private(set) var schedule = ScheduleFigures()
    /// What was noted in the second that goes on.
    private var moment = Moment()
    private var second = 0

    /// Notes one load.
    ///
    /// - Parameter second: when it was over: whole seconds from the beginning, never falling.
    mutating func note(_ outcome: Outcome, nanoseconds: UInt64, second: Int) {
        if second != self.second { closeMoment() }
        self.second = second
        figures.operationCount += 1
        figures.keyCount += 1
        moment.operationCount += 1
        moment.keyCount += 1
        switch outcome {
        case .hit:
            figures.hitCount += 1
            moment.hitCount += 1
        case .miss:
            figures.missCount += 1
            moment.missCount += 1
        case .failed(let cause):
            figures.errors[cause, default: 0] += 1
            moment.errorCount += 1
            // What failed is quick, and would look good.
            return
        }
        figures.latency.note(nanoseconds: nanoseconds)
        moment.latency.note(nanoseconds: nanoseconds)
    }

    /// A request was begun.
    ///
    /// - Parameters:
    ///   - lateness: nanoseconds since it was due.
    ///   - waitingCount: how many others were due then, and not taken; may be below 0.
    mutating func begin(lateness: UInt64, waitingCount: Int) {
        schedule.lateness.note(nanoseconds: lateness)
        schedule.backlogMax = max(schedule.backlogMax, UInt64(max(0, waitingCount)))
    }

    private mutating func closeMoment() {
        guard moment.operationCount > 0 else { return }
        moment.seconds = 1
        series.add(moment, at: Double(second))
        moment = Moment()
    }

    mutating func add(_ other: TraceTally) {
        var other = other
        other.closeMoment()
        closeMoment()
        figures.merge(other.figures)
        series.merge(other.series)
        // Workers share one list of those that wait: it was as long as the longest that one saw.
        schedule.append(other.schedule)
    }

    func phase(asked: String, seconds: Double) -> PhaseFigures {
        var whole = self
        whole.closeMoment()
        var phase = PhaseFigures(name: "replay")
        phase.asked = asked
        phase.seconds = seconds
        phase.operations = [whole.figures]
        phase.series = whole.series
        return phase
    }
}
