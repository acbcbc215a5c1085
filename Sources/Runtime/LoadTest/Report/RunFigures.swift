/// The measurements of one load test: the only source of the table, the JSON object and the report.
///
///      thread 0 ─ PhaseFigures ┐ merge                    ┌▶ table, JSON (martlet bench)
///      thread 1 ─ PhaseFigures ┼──────▶ RunFigures ───────┼▶ HTML (``ReportPage``)
///      thread 2 ─ PhaseFigures ┘            ▲  │ JSON     └▶ exit code
///                                      join └──┘ of several machines
///
/// Every thread of a generator fills figures of its own, and no other thread reads them meanwhile.
/// After a phase they are merged: counts are added, histograms are added bucket by bucket. No
/// percentile is ever made from percentiles. Values that were not measured are `nil` or empty,
/// never zero. Nothing here reads a clock or writes a file [1].
///
/// [1] docs/decisions/0046-a-load-test-that-checks-itself.md
package struct RunFigures: Equatable, Sendable {
    /// The title from the user, or else the command.
    package var title: String
    /// Martlet's version of the generator.
    package var version: String
    /// The requested load, in one line.
    package var subject: String
    /// The requested load in full: one fact a line, in the order of the report.
    package var asked: [Fact] = []
    /// Whether our own echo answered: then the numbers are those of the generator, and say nothing
    /// about a cluster.
    package var isEcho = false
    /// Keys per second that this generator reached against an echo; `nil` if it did not try.
    package var echoKeysPerSecond: Double?
    /// The processes that made the load. One, unless reports were joined.
    package var workers: [WorkerFigures] = []
    /// In the order in which they ran, warm-ups included.
    package var phases: [PhaseFigures] = []
    /// `nil` without `--verify`.
    package var verification: VerificationFigures?
    /// Whether the run was ended before its time. A violation that ended it is in
    /// ``VerificationFigures/endedTheRun``.
    package var wasCutShort = false
    /// Why the run ended early; a sentence for people.
    package var failure: String?

    package init(title: String, version: String, subject: String) {
        self.title = title
        self.version = version
        self.subject = subject
    }

    /// One line of the requested load.
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
    /// The phases that count: all but the warm-ups.
    package var measuredPhases: [PhaseFigures] { phases.filter { !$0.isWarmUp } }

    /// The measured phases as one phase, without their series.
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

extension RunFigures {
    /// The cost of the load in `phase` and its bottleneck, in one sentence; `nil` if neither is
    /// known.
    ///
    /// - Parameter separator: the text between a number and its unit.
    package func generatorSentence(
        of phase: PhaseFigures, separator: String = " "
    ) -> String? {
        let generator = phase.generator
        var parts: [String] = []
        if let nanoseconds = generator.nanosecondsPerKey(phase.keyCount) {
            let time = FigureForm.latency(UInt64(nanoseconds), separator: separator)
            parts.append("\(time) of processor time for each key")
        }
        if let share = generator.busyShare {
            let text = FigureForm.share(share, separator: separator)
            parts.append("\(text) of its threads' time")
        }
        if let keys = echoKeysPerSecond, let rate = phase.keysPerSecond, rate > 0 {
            let text = FigureForm.rate(keys, separator: separator)
            let times = FigureForm.threeDigits(keys / rate)
            parts.append("an echo of its own answered \(text) keys/s, \(times) times as many")
        }
        if let limit = generator.limit { parts.append(limit.sentence) }
        return parts.isEmpty ? nil : parts.joined(separator: "; ")
    }
}
