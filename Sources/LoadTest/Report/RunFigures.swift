/// What one load test measured: the only thing that a table, a JSON object and a report are
/// made of.
///
///      thread 0 ─ PhaseFigures ┐ merge                    ┌▶ table, JSON (martlet bench)
///      thread 1 ─ PhaseFigures ┼──────▶ RunFigures ───────┼▶ HTML (``ReportPage``)
///      thread 2 ─ PhaseFigures ┘            ▲  │ JSON     └▶ exit code
///                                      join └──┘ of several machines
///
/// Every thread of a generator fills figures of its own and nobody else reads them meanwhile;
/// when a phase is over they are merged: counts are added, histograms are added bucket by
/// bucket. No percentile is ever made from percentiles. What was not measured is `nil` or
/// empty, never zero. Nothing here reads a clock or writes a file [1].
///
/// [1] docs/decisions/0046-a-load-test-that-checks-itself.md
package struct RunFigures: Equatable, Sendable {
    /// What the reader called this run; the command, if nothing else is known.
    package var title: String
    /// Which Martlet made the load.
    package var version: String
    /// What was asked for, in one line.
    package var subject: String
    /// What was asked for, in full: one fact a line, in the order in which they are read.
    package var asked: [Fact] = []
    /// Whether it was our own echo that answered: then the figures are the generator's, and
    /// nothing was learned about a cluster.
    package var isEcho = false
    /// Keys per second that this generator reached against an echo; `nil` if nobody tried.
    package var echoKeysPerSecond: Double?
    /// The processes that made the load. One, unless reports were joined.
    package var workers: [WorkerFigures] = []
    /// In the order in which they ran, warm-ups included.
    package var phases: [PhaseFigures] = []
    /// `nil` without `--verify`.
    package var verification: VerificationFigures?
    /// Whether somebody ended the run before its time. A violation that ended it stands in
    /// ``VerificationFigures/endedTheRun``.
    package var wasCutShort = false
    /// Why the run could not go on to its end; a sentence for people.
    package var failure: String?

    package init(title: String, version: String, subject: String) {
        self.title = title
        self.version = version
        self.subject = subject
    }

    /// One line of what was asked for.
    package struct Fact: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }
}

extension RunFigures {
    /// The phases whose figures count: all but the warm-ups.
    package var measuredPhases: [PhaseFigures] { phases.filter { !$0.isWarmUp } }

    /// The measured phases as if they had been one, without their series.
    package var total: PhaseFigures {
        var total = PhaseFigures(name: "total")
        for phase in measuredPhases { total.append(phase) }
        return total
    }

    /// When the first process began, in milliseconds since 1970.
    package var startedAt: UInt64? { workers.compactMap(\.startedAt).min() }

    /// How far apart the processes began, in seconds by their own clocks; `nil` below two.
    package var startSpread: Double? {
        let starts = workers.compactMap(\.startedAt)
        guard starts.count > 1, let first = starts.min(), let last = starts.max() else {
            return nil
        }
        return Double(last - first) / 1_000
    }
}
