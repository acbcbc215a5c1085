import CacheModel
import CacheVerification
import CommandSurface

extension VerifyReport {
    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput(style, json: json) { output in
            output.writeLine(opening)
            output.write(table.text(isColoured: style.isColoured))
            for line in notes { output.writeLine(line) }
            writeOrigins(style, to: &output)
            for broken in check.brokenPromises { Self.write(broken, to: &output) }
        }
        if status == .violation {
            let answers = FigureText.count(check.tally.wrongCount, "answer")
            output.complain("\(answers) broke a promise of docs/consistency.md", .violation)
        } else if firstPosition == nil {
            output.complain(
                "the publisher's stream was never heard; is its live port reachable?", .unreachable)
        } else if status == .unreachable {
            output.complain("no node answered; martlet status lists the nodes", .unreachable)
        }
        return output
    }

    private var opening: String {
        let tally = check.tally
        let place = firstPosition.map { " from \($0)" } ?? ""
        return "watched for \(FigureText.timeLeft(elapsed))\(place): "
            + FigureText.count(tally.recordCount, "record") + ", "
            + FigureText.count(tally.keyCount, "key") + " named, "
            + FigureText.count(tally.sampledCount, "sample")
            + (check.openCount > 0 ? ", \(check.openCount) not looked at to the end" : "")
    }

    private var table: Table {
        var table = Table([
            .right("AFTER"), .left("NODE"), .right("JUDGED"), .right("RIGHT"), .right("SHOWN"),
            .right("BEHIND"), .right("WRONG"), .right("UNKNOWN"), .right("NO ANSWER"),
            .right("NINES"),
        ])
        for line in lines {
            let figures = line.figures
            let counts = [figures.judged, figures.right, figures.shown].map { Table.Cell("\($0)") }
            table.add(
                [Table.Cell(FigureText.timeLeft(line.delay)), Table.Cell(line.node?.name ?? "all")]
                    + counts + [
                        Table.Cell("\(figures.behind)", figures.behind > 0 ? .warning : .plain),
                        Table.Cell("\(figures.wrong)", figures.wrong > 0 ? .bad : .plain),
                        Table.Cell("\(figures.unknown)"),
                        Table.Cell(
                            "\(figures.unanswered)", figures.unanswered > 0 ? .warning : .plain),
                        Table.Cell(figures.nines.description),
                    ])
        }
        return table
    }

    private var notes: [String] {
        let tally = check.tally
        let wide = FigureText.count(tally.wideCount, "invalidation")
        let notes: [(Int, String)] = [
            (tally.elsewhereCount, Self.keys(tally.elsewhereCount) + " another part's"),
            (tally.leftOutCount, Self.keys(tally.leftOutCount) + " left out by --sample"),
            (
                tally.noRoomCount,
                Self.keys(tally.noRoomCount) + " left out because too many samples are open"
            ),
            (
                tally.wideUnsampledCount,
                "\(tally.wideUnsampledCount) of \(wide) of tags, prefixes, namespaces or "
                    + "everything found no key that is known"
            ),
            (
                tally.unreadableCount,
                FigureText.count(tally.unreadableCount, "record")
                    + " of a later release could not be read"
            ),
            (
                tally.lossCount,
                "the log could not be followed " + FigureText.count(tally.lossCount, "time")
            ),
            (
                tally.doubtfulCount,
                FigureText.count(tally.doubtfulCount, "sample") + " given up because of that"
            ),
            (
                tally.differingCount,
                "nodes showed different versions, all fresh, "
                    + FigureText.count(tally.differingCount, "time")
            ),
        ]
        return notes.filter { $0.0 > 0 }.map(\.1) + lateNotes
    }

    private static func keys(_ count: Int) -> String {
        FigureText.count(count, "key was", "keys were")
    }

    /// Of looks that were asked so late that their line of the table says something else than its
    /// first column.
    private var lateNotes: [String] {
        zip(check.plan.delays, check.lateness).compactMap { delay, lateness in
            guard let mean = lateness.mean, lateness.most > max(delay / 10, Self.latenessShown)
            else { return nil }
            return "nodes were asked later than \(FigureText.timeLeft(delay)): by "
                + "\(FigureText.timeLeft(mean)) on average, "
                + "\(FigureText.timeLeft(lateness.most)) at most; a lower --sample helps"
        }
    }

    private static let latenessShown: Duration = .milliseconds(250)

    private static func write(_ broken: BrokenPromise, to output: inout CommandOutput) {
        let key = HarmlessText.line(broken.key.key.bytes)
        output.writeLine("")
        output.writeLine("key \(key) in \(broken.key.namespace): \(broken.sentence)")
        for line in broken.history { output.writeLine("    " + HarmlessText.line(line)) }
    }
}
