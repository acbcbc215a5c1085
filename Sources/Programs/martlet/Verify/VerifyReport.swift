import ByteCoding
import CacheModel
import CacheVerification
import CommandSurface

/// What a check has found so far.
struct VerifyReport {
    let check: StandingCheck
    let elapsed: Duration
    /// Where the log stood at the beginning; `nil` if the publisher was not heard.
    let firstPosition: LogPosition?
    /// How long the publisher has not been heard; `nil` if it never was.
    let silence: Duration?
    /// Questions to nodes, and those that were answered.
    let asked: Int
    let answered: Int

    /// One line of the table.
    struct Line {
        let delay: Duration
        /// `nil` for all nodes together.
        let node: NodeID?
        let figures: NodeFigures
    }

    func total(after delayIndex: Int) -> NodeFigures {
        check.figures[delayIndex].values.reduce(NodeFigures(), +)
    }

    /// Each delay with its nodes, then all of them together.
    var lines: [Line] {
        check.plan.delays.enumerated().flatMap { index, delay -> [Line] in
            let nodes = check.figures[index].sorted { $0.key < $1.key }.map {
                Line(delay: delay, node: $0.key, figures: $0.value)
            }
            return nodes + [Line(delay: delay, node: nil, figures: total(after: index))]
        }
    }

    /// How what nodes show stands to what origins have: each node, then all of them together; none
    /// if nothing is compared.
    var originLines: [(node: NodeID?, figures: OriginFigures)] {
        guard check.origins.plan.isOn else { return [] }
        let nodes = check.origins.figures.sorted { $0.key < $1.key }
        let total = nodes.map(\.value).reduce(OriginFigures(), +)
        return nodes.map { ($0.key, $0.value) } + [(nil, total)]
    }

    var status: ExitStatus {
        if check.tally.wrongCount > 0 { return .violation }
        return firstPosition == nil || (asked > 0 && answered == 0) ? .unreachable : .done
    }
}

extension VerifyReport {
    /// One object: docs/commands.md tells its members.
    var json: JSONDocument {
        let tally = check.tally
        return .object([
            ("seconds", .decimal(Double(elapsed.wholeMilliseconds) / 1_000)),
            ("from", .optional(firstPosition, JSONDocument.position)),
            ("records", .integer(tally.recordCount)), ("keys", .integer(tally.keyCount)),
            ("samples", .integer(tally.sampledCount)), ("open", .integer(check.openCount)),
            ("answers", .list(lines.map(Self.json))),
            ("late", .list(zip(check.plan.delays, check.lateness).map(Self.json))),
            ("not_sampled", notSampled),
            ("lost", .integer(tally.lossCount)), ("doubtful", .integer(tally.doubtfulCount)),
            ("differing", .integer(tally.differingCount)),
            ("violations", .integer(tally.wrongCount)),
            ("broken", .list(check.brokenPromises.map(Self.json))), ("origins", origins),
        ])
    }

    private var notSampled: JSONDocument {
        let tally = check.tally
        return .object([
            ("other_part", .integer(tally.elsewhereCount)), ("rate", .integer(tally.leftOutCount)),
            ("no_room", .integer(tally.noRoomCount)), ("wide", .integer(tally.wideCount)),
            ("wide_without_key", .integer(tally.wideUnsampledCount)),
            ("unreadable", .integer(tally.unreadableCount)),
        ])
    }

    private static func json(_ line: Line) -> JSONDocument {
        let figures = line.figures
        let nines: JSONDocument
        let atLeast: JSONDocument
        switch figures.nines {
        case .unknown: (nines, atLeast) = (.null, .null)
        case .exactly(let tenths): (nines, atLeast) = (.decimal(Double(tenths) / 10), .null)
        case .atLeast(let tenths): (nines, atLeast) = (.null, .decimal(Double(tenths) / 10))
        }
        return .object([
            ("after_ms", .milliseconds(line.delay)),
            ("node", .optional(line.node, JSONDocument.node)), ("judged", .integer(figures.judged)),
            ("right", .integer(figures.right)), ("shown", .integer(figures.shown)),
            ("behind", .integer(figures.behind)), ("wrong", .integer(figures.wrong)),
            ("unknown", .integer(figures.unknown)),
            ("unanswered", .integer(figures.unanswered)), ("nines", nines),
            ("nines_at_least", atLeast),
        ])
    }

    private static func json(_ delay: Duration, _ lateness: LookLateness) -> JSONDocument {
        .object([
            ("after_ms", .milliseconds(delay)), ("looks", .integer(lateness.lookCount)),
            ("mean_ms", .optional(lateness.mean, JSONDocument.exactMilliseconds)),
            (
                "max_ms",
                lateness.lookCount == 0 ? .null : .exactMilliseconds(lateness.most)
            ),
        ])
    }

    private static func json(_ broken: BrokenPromise) -> JSONDocument {
        .object(
            JSONDocument.members("key", broken.key.key.bytes) + [
                ("namespace", .text(broken.key.namespace.name)), ("node", .node(broken.node)),
                ("position", .position(broken.position)),
                ("after_ms", .exactMilliseconds(broken.delay)),
                ("filled", .optional(broken.answer.entry?.filled, JSONDocument.position)),
                ("applied", .position(broken.answer.applied)),
                ("why", .text(broken.fault.rawValue)),
                ("history", .list(broken.history.map(JSONDocument.text))),
            ])
    }
}
