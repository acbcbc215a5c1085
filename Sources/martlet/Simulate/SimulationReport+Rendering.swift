import CacheModel
import CacheSimulation

extension SimulationReport {
    /// Seeds that are told with their last events; the others only by their sentence.
    private static let toldMax = 1
    private static let namedMax = 10

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput()
        if style == .json { output.writeLine(json) } else { write(to: &output) }
        for breach in breaches.prefix(Self.namedMax) {
            output.complain(
                "seed \(breach.seed): \(HarmlessText.line(breach.sentence)) "
                    + "(again, with every event: \(command(for: breach.seed)))", .violation)
        }
        return output
    }

    private func command(for seed: UInt64) -> String {
        disabled.reduce("martlet simulate --seed \(seed)") { $0 + " --disable \($1.rawValue)" }
    }

    private func write(to output: inout CommandOutput) {
        output.writeLine(
            "\(Self.grouped(count)) seeds from \(first) on: "
                + "\(Self.grouped(tally.events)) events in \(FigureText.timeLeft(elapsed)), "
                + "\(Self.grouped(eventsPerSecond)) a second on "
                + "\(FigureText.count(processors, "processor"))")
        output.writeLine("lived       \(FigureText.timeLeft(lived)) of the world's own time")
        for (title, text) in lines {
            output.writeLine(title + String(repeating: " ", count: 12 - title.count) + text)
        }
        for breach in breaches.prefix(Self.toldMax) {
            output.writeLine("\nseed \(breach.seed)\n\(breach.story)")
        }
    }

    private var lines: [(title: String, text: String)] {
        [
            ("faults", Self.grouped(tally.faults) + ": " + Self.list(tally.faultFigures)),
            (
                "lost",
                "\(Self.grouped(tally.drops)) messages dropped, "
                    + "\(Self.grouped(tally.overflows)) more for want of room; "
                    + "\(Self.grouped(tally.diskFaults)) disks damaged, "
                    + "\(Self.grouped(tally.lostRecords)) records gone"
            ),
            (
                "log",
                "\(Self.grouped(tally.records)) records, \(Self.grouped(tally.epochs)) epochs, "
                    + "\(Self.grouped(tally.gaps)) gaps, "
                    + "\(Self.grouped(tally.echoes)) echoes, "
                    + "\(Self.grouped(tally.truncations)) truncations, "
                    + "\(Self.grouped(tally.floorSnapshots)) floor snapshots, "
                    + "\(Self.grouped(tally.publisherStarts)) starts of the publisher"
            ),
            (
                "disk tiers",
                "in \(Self.grouped(tally.tierSeeds)) seeds: "
                    + "\(Self.grouped(tally.tiersBegun)) begun, "
                    + "\(Self.grouped(tally.tiersRecovered)) recovered, "
                    + "\(Self.grouped(tally.tiersRefused)) refused, "
                    + "\(Self.grouped(tally.tiersDiscarded)) discarded, "
                    + "\(Self.grouped(tally.tiersLost)) lost; "
                    + "\(Self.grouped(tally.tierReads)) reads, "
                    + "\(Self.grouped(tally.inheritedAnswers)) answers of an earlier life"
            ),
            (
                "origins",
                "in \(Self.grouped(tally.originSeeds)) seeds: "
                    + "\(Self.grouped(tally.loads)) loads, "
                    + "\(Self.grouped(tally.joinedLoads)) shared, "
                    + "\(Self.grouped(tally.loadsKept)) kept, "
                    + "\(Self.grouped(tally.loadsConfirmed)) confirmed, "
                    + "\(Self.grouped(tally.overtakenLoads)) overtaken, "
                    + "\(Self.grouped(tally.failedLoads)) failed; "
                    + "\(Self.grouped(tally.windowAnswers)) answers within stale windows, "
                    + "\(Self.grouped(tally.negativeAnswers)) that there is none"
            ),
            (
                "judged",
                "\(Self.grouped(tally.hits)) fresh answers, "
                    + "\(Self.grouped(tally.staleAnswers)) stale, "
                    + "\(Self.grouped(tally.behindAnswers)) behind, "
                    + "\(Self.grouped(tally.strongReads)) strong reads, "
                    + "\(Self.grouped(tally.tokens)) tokens, "
                    + "\(Self.grouped(tally.stored)) stores, "
                    + "\(Self.grouped(tally.renewals)) renewals"
            ),
            (
                "receipts",
                "\(Self.grouped(tally.completeReceipts)) complete, "
                    + "\(Self.grouped(tally.incompleteReceipts)) incomplete, "
                    + "\(Self.grouped(tally.receiptsWithExpired)) with a node whose lease was over"
            ),
            ("violations", Self.grouped(breaches.count)),
        ]
    }

    private static func list(_ figures: [(name: String, value: Int)]) -> String {
        figures.map { "\($0.name) \(grouped($0.value))" }.joined(separator: ", ")
    }

    private static func grouped(_ number: Int) -> String {
        FigureText.grouped(UInt64(number))
    }

    private var json: JSONValue {
        .object([
            ("first", .unsigned(first)), ("seeds", .integer(count)),
            ("events", .integer(tally.events)),
            ("seconds", .decimal(Double(elapsed.wholeMilliseconds) / 1_000)),
            ("events_per_second", .integer(eventsPerSecond)),
            ("lived_seconds", .decimal(Double(lived.wholeMilliseconds) / 1_000)),
            ("faults", Self.object(tally.faultFigures)),
            ("figures", Self.object(tally.figures)),
            (
                "violations",
                .list(
                    breaches.map {
                        .object([("seed", .unsigned($0.seed)), ("promise", .text($0.sentence))])
                    })
            ),
        ])
    }

    private static func object(_ figures: [(name: String, value: Int)]) -> JSONValue {
        .object(
            figures.map {
                ($0.name.replacing(" ", with: "_"), JSONValue.integer($0.value))
            })
    }
}
