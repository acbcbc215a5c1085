import Histogram

extension RunFigures {
    /// All warnings that a reader needs before the numbers, the most serious first.
    package var cautions: [Caution] {
        verificationCautions + answerCautions + loadCautions + generatorCautions + joinCautions
    }

    private var verificationCautions: [Caution] {
        guard let verification else { return [] }
        var cautions: [Caution] = []
        if verification.violationCount > 0 {
            let answers = Self.count(verification.violationCount, "answer was", "answers were")
            let end = verification.endedTheRun ? " The run ended there." : ""
            cautions.append(Caution(.violation, "\(answers) wrong.\(end)"))
        } else if verification.answersChecked == 0 {
            cautions.warn("No answer was checked: nothing is known of them.")
        } else if verification.promisedCount == 0 {
            cautions.warn(
                "No fresh answer was to a key of which anything was promised: nothing is known of "
                    + "how old answers are.")
        }
        if verification.fillsRefused > verification.changeCount {
            let fills = Self.count(verification.fillsRefused, "fill was", "fills were")
            cautions.warn(
                "\(fills) refused, more than keys were changed: not for invalidations alone.")
        }
        if verification.receiptsIncomplete > 0 {
            let receipts = Self.count(verification.receiptsIncomplete, "receipt", "receipts")
            cautions.warn("\(receipts) not complete: nothing was promised by them.")
        }
        return cautions
    }

    private var answerCautions: [Caution] {
        let total = total
        if total.keyCount == 0 {
            return [Caution(.warning, "Nothing was answered in a measured phase.")]
        }
        guard total.errorCount > 0 else { return [] }
        let share = FigureForm.share(Double(total.errorCount) / Double(total.keyCount))
        let keys = Self.count(total.errorCount, "key has", "keys have")
        let they = total.errorCount == 1 ? "it is" : "they are"
        let sentence =
            "\(keys) no useful answer (\(share)): \(they) neither in the rate nor in the latencies."
        return [Caution(.warning, sentence)]
    }

    private var loadCautions: [Caution] {
        var cautions: [Caution] = []
        if isEcho {
            cautions.append(
                Caution(.remark, "An echo answered, not a cluster: nothing is learned of one."))
        }
        if wasCutShort || phases.contains(where: \.wasCutShort) {
            cautions.warn("The run was cut short: it is shorter than asked.")
        }
        if let failure {
            cautions.warn("The run ended early, with what it had by then: \(failure).")
        }
        for phase in measuredPhases {
            if let sentence = phase.schedule.flatMap(Self.sentence) {
                cautions.warn("\(phase.name): \(sentence).")
            }
        }
        return cautions
    }

    /// How far a schedule was missed; `nil` if it was not.
    private static func sentence(_ schedule: ScheduleFigures) -> String? {
        var parts: [String] = []
        if schedule.notSentCount > 0 {
            let share = FigureForm.share(schedule.notSentShare)
            let keys = count(schedule.notSentCount, "key was", "keys were")
            parts.append("\(keys) due and never sent (\(share))")
        }
        if !schedule.isInTime {
            let late = FigureForm.latency(schedule.lateness.valueAtPercentile(99))
            parts.append("one of 100 was sent more than \(late) after it was due")
        }
        guard !parts.isEmpty else { return nil }
        let end = schedule.isKept ? "" : ": the rate that was asked for was not kept"
        return parts.joined(separator: ", ") + end
    }

    private var generatorCautions: [Caution] {
        var cautions: [Caution] = []
        for phase in measuredPhases where phase.generator.limit == .generator && !isEcho {
            cautions.warn("\(phase.name): the generator was the limit; the cluster may be faster.")
        }
        for phase in measuredPhases where phase.generator.limit == .echo {
            cautions.warn("\(phase.name): the echo was the limit; the generator may be faster.")
        }
        if workers.contains(where: { $0.machine.build == "debug" }) {
            cautions.warn("Made by a debug build: no figure of it says how fast it is.")
        }
        return cautions
    }

    private var joinCautions: [Caution] {
        var cautions: [Caution] = []
        if workers.count > 1, !missingParts.isEmpty {
            let parts = missingParts.map(\.description).joined(separator: ", ")
            cautions.warn("No report of part \(parts): its load is missing.")
        }
        if let (asked, all) = askedNodes, asked < all {
            cautions.warn(
                "Of \(all) nodes that answer for every key \(asked) \(asked == 1 ? "was" : "were") "
                    + "asked: nothing is known of the others.")
        }
        if let spread = startSpread, spread > 1 {
            let seconds = FigureForm.seconds(spread)
            cautions.warn("The machines began \(seconds) apart by their own clocks.")
        }
        return cautions
    }

    /// How many nodes all machines together asked, as they begin at different ones, and how many
    /// there are; `nil` in a sharded topology.
    private var askedNodes: (asked: Int, all: Int)? {
        let asked = workers.compactMap(\.askedNodes)
        guard let all = asked.first?.nodeCount else { return nil }
        return (min(all, asked.reduce(0) { $0 + $1.count }), all)
    }

    private static func count(_ number: UInt64, _ one: String, _ many: String) -> String {
        "\(FigureForm.grouped(number)) \(number == 1 ? one : many)"
    }
}

extension [Caution] {
    fileprivate mutating func warn(_ sentence: String) { append(Caution(.warning, sentence)) }
}

/// A warning that a reader must not overlook: it comes first, in every form of the report.
package struct Caution: Hashable, Sendable {
    package enum Weight: String, Sendable {
        /// The cluster broke a promise.
        case violation
        /// The numbers are easily misread.
        case warning
        /// Useful to know before reading on.
        case remark
    }

    package var weight: Weight
    package var sentence: String

    package init(_ weight: Weight, _ sentence: String) {
        self.weight = weight
        self.sentence = sentence
    }
}
