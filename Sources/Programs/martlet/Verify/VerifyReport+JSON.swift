import ByteCoding
import CacheModel
import CacheVerification

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
