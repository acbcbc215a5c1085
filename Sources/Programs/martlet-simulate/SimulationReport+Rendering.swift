import ByteCoding
import CacheModel
import CacheSimulation
import CommandSurface

extension SimulationReport {
    /// How many failing seeds are printed with their last events; the others have one sentence.
    private static let toldMax = 1
    private static let namedMax = 10

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput(program: "martlet-simulate")
        if style == .json { output.writeLine(json) } else { write(to: &output) }
        for breach in breaches.prefix(Self.namedMax) {
            output.complain(
                "seed \(breach.seed): \(HarmlessText.line(breach.sentence)) "
                    + "(again, with every event: \(command(for: breach.seed)))", .violation)
        }
        for name in neverMet {
            output.complain("the simulation never meets: \(name)", .violation)
        }
        return output
    }

    private func command(for seed: UInt64) -> String {
        let base =
            (kind.publishers > 1 ? " --publishers \(kind.publishers)" : "")
            + (kind.hasSlots ? " --slots" : "")
        return disabled.reduce("martlet-simulate --seed \(seed)\(base)") {
            $0 + " --disable \($1.rawValue)"
        }
    }

    private func write(to output: inout CommandOutput) {
        output.writeLine(
            "\(Self.grouped(count)) seeds from \(first) on: "
                + "\(Self.grouped(tally[.events])) events in \(FigureText.timeLeft(elapsed)), "
                + "\(Self.grouped(eventsPerSecond)) a second on "
                + "\(FigureText.count(processors, "processor"))")
        output.writeLine("lived       \(FigureText.timeLeft(lived)) of the world's own time")
        for (title, text) in lines {
            output.writeLine(title + String(repeating: " ", count: 12 - title.count) + text)
        }
        for breach in breaches.prefix(Self.toldMax) {
            output.writeLine("\nseed \(breach.seed)\n\(breach.story)")
        }
        output.writeLine("\(passedCount) passed, \(failedCount) failed")
    }

    private var lines: [(title: String, text: String)] {
        (kind.publishers > 1 ? [("publishers", sharedText)] : [])
            + (kind.hasSlots ? [("slots", slotsText)] : []) + commonLines
    }

    private var slotsText: String {
        Self.list([
            (tally[.servedSlots], "times served after a move"),
            (tally[.movedCopies], "copies of owners before"),
            (tally[.pulls], "keys requested of them for readers"),
        ])
    }

    private var sharedText: String {
        Self.list([
            (tally[.sharedFaults], "faults of theirs and of their store"),
            (tally[.terms], "terms"), (tally[.lostTerms], "ended"),
            (tally[.resignations], "given up"), (tally[.redirections], "redirections"),
            (tally[.unansweredRequests], "requests without an answer"),
            (tally[.lateExecutions], "executed later"), (tally[.storeRestores], "restores"),
        ])
    }

    private var commonLines: [(title: String, text: String)] {
        [
            ("faults", Self.grouped(tally[.faults]) + ": " + Self.list(tally.faultFigures)),
            (
                "lost",
                Self.list([
                    (tally[.drops], "messages dropped"),
                    (tally[.overflows], "more for want of room"),
                ]) + "; "
                    + Self.list([
                        (tally[.diskFaults], "disks damaged"),
                        (tally[.lostRecords], "records gone"),
                    ])
            ),
            (
                "log",
                Self.list([
                    (tally[.records], "records"), (tally[.epochs], "epochs"),
                    (tally[.gaps], "gaps"),
                    (tally[.echoes], "echoes"), (tally[.truncations], "truncations"),
                    (tally[.floorSnapshots], "floor snapshots"),
                    (tally[.publisherStarts], "starts of the publisher"),
                ])
            ),
            ("disk tiers", Self.seeds(tally[.diskSeeds]) + tierText),
            ("origins", Self.seeds(tally[.originSeeds]) + originText),
            (
                "prefetches",
                Self.seeds(tally[.prefetchSeeds])
                    + Self.list([
                        (tally[.prefetched], "kept"), (tally[.prefetchesSpared], "there already"),
                        (tally[.prefetchesNotKept], "not kept"),
                    ])
            ),
            ("copies", Self.seeds(tally[.copySeeds]) + Self.list([(tally[.copies], "stored")])),
            ("leases", Self.seeds(tally[.leaseSeeds]) + "another at each start of the publisher"),
            (
                "members",
                Self.seeds(tally[.memberSeeds])
                    + Self.list([
                        (tally[.changesOfMembers], "changes"),
                        (tally[.ownedAnswers], "answers that only an owner may give"),
                        (tally[.drains], "nodes told to leave"),
                        (tally[.forgottenNodes], "to be forgotten"),
                        (tally[.failovers], "silent for too long"),
                        (tally[.busyAnswers], "questions to shards that were not to answer"),
                    ])
            ),
            (
                "judged",
                Self.list([
                    (tally[.hits], "fresh answers"), (tally[.stale], "stale"),
                    (tally[.behind], "behind"), (tally[.strongReads], "strong reads"),
                    (tally[.tokens], "tokens"), (tally[.stored], "stores"),
                    (tally[.renewals], "renewals"),
                ])
            ),
            (
                "receipts",
                Self.list([
                    (tally[.completeReceipts], "complete"),
                    (tally[.incompleteReceipts], "incomplete"),
                    (tally[.receiptsWithExpired], "with a node past its lease"),
                ])
            ),
            ("violations", Self.grouped(breaches.count)),
        ]
    }

    private var tierText: String {
        Self.list([
            (tally[.disksBegun], "begun"), (tally[.disksRecovered], "recovered"),
            (tally[.disksRefused], "refused"), (tally[.disksDiscarded], "discarded"),
            (tally[.disksLost], "lost"),
        ]) + "; "
            + Self.list([
                (tally[.diskReads], "reads"),
                (tally[.inheritedAnswers], "answers of an earlier life"),
            ])
    }

    private var originText: String {
        Self.list([
            (tally[.loads], "loads"), (tally[.joinedLoads], "shared"), (tally[.loadsKept], "kept"),
            (tally[.loadsConfirmed], "confirmed"), (tally[.overtakenLoads], "overtaken"),
            (tally[.failedLoads], "failed"),
        ]) + "; "
            + Self.list([
                (tally[.windowAnswers], "answers within stale windows"),
                (tally[.toleratedAnswers], "in place of a load"),
                (tally[.negativeAnswers], "that there is none"),
            ])
    }

    private static func seeds(_ count: Int) -> String { "in \(grouped(count)) seeds: " }

    private static func list(_ figures: [(count: Int, what: String)]) -> String {
        figures.map { "\(grouped($0.count)) \($0.what)" }.joined(separator: ", ")
    }

    private static func list(_ figures: [(name: String, value: Int)]) -> String {
        figures.map { "\($0.name) \(grouped($0.value))" }.joined(separator: ", ")
    }

    private static func grouped(_ number: Int) -> String {
        FigureText.grouped(UInt64(number))
    }

    private var json: JSONDocument {
        .object([
            ("first", .unsigned(first)), ("seeds", .integer(count)),
            ("events", .integer(tally[.events])),
            ("seconds", .decimal(Double(elapsed.wholeMilliseconds) / 1_000)),
            ("events_per_second", .integer(eventsPerSecond)),
            ("lived_seconds", .decimal(Double(lived.wholeMilliseconds) / 1_000)),
            ("faults", Self.object(tally.faultFigures)),
            ("figures", Self.object(tally.figures)),
            ("never_met", .list(neverMet.map { .text($0) })),
            (
                "violations",
                .list(
                    breaches.map {
                        .object([("seed", .unsigned($0.seed)), ("promise", .text($0.sentence))])
                    })
            ),
        ])
    }

    private static func object(_ figures: [(name: String, value: Int)]) -> JSONDocument {
        .object(
            figures.map {
                ($0.name.replacing(" ", with: "_"), JSONDocument.integer($0.value))
            })
    }
}
