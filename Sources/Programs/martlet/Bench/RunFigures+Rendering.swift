import CommandSurface
import Histogram
import LoadTest

/// The figures of a load test for people at a terminal. What has no figure is absent.
extension RunFigures {
    func write(to output: inout CommandOutput, isColoured: Bool) {
        output.writeLine(HarmlessText.line(subject))
        if !cautions.isEmpty {
            var lines = Table([.left(""), .left("")])
            for caution in cautions {
                lines.add([
                    Self.name(caution.weight), .init(HarmlessText.line(caution.sentence)),
                ])
            }
            output.write(lines.text(isColoured: isColoured, hasTitles: false))
        }
        for phase in phases { write(phase, to: &output, isColoured: isColoured) }
        writeVerification(to: &output, isColoured: isColoured)
    }

    private static func name(_ weight: Caution.Weight) -> Table.Cell {
        switch weight {
        case .violation: Table.Cell("VIOLATION", .bad)
        case .warning: Table.Cell("note", .warning)
        case .remark: Table.Cell("know")
        }
    }

    private func write(
        _ phase: PhaseFigures, to output: inout CommandOutput, isColoured: Bool
    ) {
        let asked = phase.asked.isEmpty ? "" : ": \(phase.asked)"
        output.writeLine("\n" + HarmlessText.line(phase.name + asked))
        output.writeLine("  " + Self.rates(phase) + (phase.isWarmUp ? ", not counted" : ""))
        // Of a warm-up the rates are enough.
        if phase.isWarmUp { return }
        if phase.keyCount > 0 {
            output.write("\n" + kinds(phase).text(isColoured: isColoured) + "\n")
        }
        for line in details(phase) { output.writeLine("  " + HarmlessText.line(line)) }
    }

    private static func rates(_ phase: PhaseFigures) -> String {
        var parts = ["\(FigureForm.rate(phase.keysPerSecond)) keys/s"]
        if phase.operationCount != phase.keyCount {
            parts.append("\(FigureForm.rate(phase.operationsPerSecond)) operations/s")
        }
        if let ratio = phase.hitRatio {
            let stale =
                phase.staleCount == 0 ? "" : "\(FigureForm.grouped(phase.staleCount)) stale, "
            parts.append(
                "hit ratio \(FigureForm.share(ratio)) "
                    + "(\(FigureText.count(phase.hitCount, "hit")), \(stale)"
                    + "\(FigureText.count(phase.missCount, "miss", "misses")))")
        }
        parts.append(FigureText.count(phase.errorCount, "error"))
        parts.append("in \(FigureForm.seconds(phase.seconds))")
        return parts.joined(separator: ", ")
    }

    /// A row for each kind; columns in which no row has a figure are left out.
    private func kinds(_ phase: PhaseFigures) -> Table {
        let percentiles = [("p50", 50.0), ("p90", 90), ("p99", 99), ("p99.9", 99.9)]
        let titles = ["keys", "keys/s", "hit ratio", "errors"] + percentiles.map(\.0) + ["max"]
        let rows = phase.operations.map { kind -> [Table.Cell] in
            let rate = phase.seconds > 0 ? Double(kind.goodKeyCount) / phase.seconds : nil
            var row: [Table.Cell] = [
                .init(FigureForm.grouped(kind.keyCount)), .init(FigureForm.rate(rate)),
                .init(FigureForm.share(kind.hitRatio)),
                .init(
                    FigureForm.grouped(kind.errorCount), kind.errorCount > 0 ? .bad : .plain),
            ]
            row += percentiles.map { .init(FigureForm.latency(kind.latency.known($0.1))) }
            return row + [.init(FigureForm.latency(kind.latency.slowest))]
        }
        let shown = titles.indices.filter { column in
            rows.contains { $0[column].text != FigureForm.none }
        }
        var table = Table([.left("  ")] + shown.map { .right(titles[$0]) })
        for (kind, row) in zip(phase.operations, rows) {
            table.add([.init("  " + HarmlessText.line(kind.kind))] + shown.map { row[$0] })
        }
        return table
    }

    private func details(_ phase: PhaseFigures) -> [String] {
        var lines: [String] = []
        let errors = phase.errors.sorted { $0.key < $1.key }.filter { $0.value > 0 }
        if !errors.isEmpty {
            let causes = errors.map { "\(FigureForm.grouped($0.value)) \($0.key)" }
            lines.append("errors: " + causes.joined(separator: ", "))
        }
        if phase.repeatedCount > 0 {
            lines.append(
                "requested again while keys moved to other shards: "
                    + FigureForm.grouped(phase.repeatedCount))
        }
        if let schedule = phase.schedule { lines.append(Self.line(schedule)) }
        if let sentence = generatorSentence(of: phase) { lines.append("generator: " + sentence) }
        return lines
    }

    private static func line(_ schedule: ScheduleFigures) -> String {
        var parts: [String] = []
        if let rate = schedule.ratePerSecond {
            parts.append("\(FigureForm.rate(rate)) keys/s asked for")
        }
        parts.append(
            "\(FigureForm.grouped(schedule.notSentCount)) of "
                + "\(FigureForm.grouped(schedule.dueCount)) not sent")
        parts.append("at most \(FigureForm.grouped(schedule.backlogMax)) waiting")
        if let late = schedule.lateness.known(99) {
            parts.append("late by p99 \(FigureForm.latency(late))")
        }
        if let latest = schedule.lateness.slowest {
            parts.append("at most \(FigureForm.latency(latest)) late")
        }
        return "schedule: " + parts.joined(separator: ", ")
    }

    private func writeVerification(to output: inout CommandOutput, isColoured: Bool) {
        guard let verification else { return }
        output.writeLine(
            "\nverified: \(FigureText.count(verification.freshCount, "fresh answer")), "
                + "\(FigureForm.grouped(verification.promisedCount)) of them under a promise, "
                + "\(FigureForm.grouped(verification.staleCount)) stale, "
                + "\(FigureForm.grouped(verification.unfencedCount)) unfenced, "
                + "\(FigureText.count(verification.missCount, "miss", "misses")), "
                + "\(FigureText.count(verification.changeCount, "change")), "
                + "\(FigureText.count(verification.receiptsComplete, "receipt")) complete, "
                + "\(FigureForm.grouped(verification.receiptsIncomplete)) incomplete, "
                + "\(FigureText.count(verification.fillsRefused, "fill")) refused, "
                + FigureText.count(verification.violationCount, "wrong answer"))
        for violation in verification.violations {
            let place = violation.atSeconds.map { " after \(FigureForm.seconds($0))" } ?? ""
            output.writeLine("\nkey \(HarmlessText.line(violation.key))\(place)")
            output.writeLine("  " + HarmlessText.line(violation.sentence))
            for line in violation.history { output.writeLine("    " + HarmlessText.line(line)) }
        }
    }
}
