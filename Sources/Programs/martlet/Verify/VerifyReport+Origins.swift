import ByteCoding
import CacheModel
import CacheVerification
import CommandSurface

/// What nodes show beside what origins have, in each of a report's forms.
extension VerifyReport {
    /// By the name that each figure has for scripts.
    static func named(_ figures: OriginFigures) -> [(String, Int)] {
        [
            ("same", figures.same), ("differs", figures.differs), ("unsteady", figures.unsteady),
            ("changed", figures.changed), ("not_shown", figures.notShown),
            ("pending", figures.pending), ("failed", figures.failed),
            ("unsupported", figures.unsupported), ("unanswered", figures.unanswered),
        ]
    }

    // MARK: For people

    func writeOrigins(_ style: OutputStyle, to output: inout CommandOutput) {
        guard let total = originLines.last?.figures else { return }
        output.writeLine("")
        let rate = check.origins.plan.perSecond
        output.writeLine("compared with their origins, \(rate) a second at most:")
        output.write(originTable.text(isColoured: style.isColoured))
        for note in Self.notes(on: total) { output.writeLine(note) }
        for difference in check.origins.differences { Self.write(difference, to: &output) }
    }

    private var originTable: Table {
        var table = Table([
            .left("NODE"), .right("COMPARED"), .right("SAME"), .right("DIFFERS"),
            .right("UNSTEADY"), .right("CHANGED"), .right("NOT SHOWN"), .right("PENDING"),
            .right("FAILED"), .right("NO ANSWER"),
        ])
        for (node, figures) in originLines {
            let unanswered = figures.unanswered + figures.unsupported
            table.add([
                Table.Cell(node?.name ?? "all"), Table.Cell("\(figures.compared)"),
                Table.Cell("\(figures.same)"),
                Table.Cell("\(figures.differs)", figures.differs > 0 ? .warning : .plain),
                Table.Cell("\(figures.unsteady)"), Table.Cell("\(figures.changed)"),
                Table.Cell("\(figures.notShown)"), Table.Cell("\(figures.pending)"),
                Table.Cell("\(figures.failed)", figures.failed > 0 ? .warning : .plain),
                Table.Cell("\(unanswered)", unanswered > 0 ? .warning : .plain),
            ])
        }
        return table
    }

    private static func notes(on total: OriginFigures) -> [String] {
        let notes: [(Int, String)] = [
            (
                total.unsteady,
                "unsteady: the origin had another value at each look; is there a time or a number "
                    + "in its answers that always changes?"
            ),
            (
                total.unsupported,
                "nodes declined to compare; they are of an earlier release, or the namespace has "
                    + "lost its origin"
            ),
        ]
        return notes.filter { $0.0 > 0 }.map(\.1)
    }

    private static func write(_ difference: OriginDifference, to output: inout CommandOutput) {
        let found = difference.comparison
        let key = HarmlessText.line(difference.key.key.bytes)
        output.writeLine("")
        output.writeLine(
            "key \(key) in \(difference.key.namespace): \(difference.node) shows something else "
                + "than its origin has, at two looks \(FigureText.timeLeft(difference.span)) apart")
        var shown = [OriginSideText.text(found.shown)]
        shown.append("stored \(FigureText.timeLeft(found.age)) ago")
        if let filled = found.filled { shown.append("filled at \(filled)") }
        if found.isUnfenced { shown.append("stored without a token") }
        output.writeLine("    shown   " + shown.joined(separator: ", "))
        output.writeLine("    origin  " + OriginSideText.text(found.origin))
    }

    // MARK: For scripts

    /// `null` if nothing is compared.
    var origins: JSONDocument {
        guard check.origins.plan.isOn else { return .null }
        return .object([
            ("per_second", .integer(check.origins.plan.perSecond)),
            (
                "nodes",
                .list(
                    originLines.map { line in
                        .object(
                            [
                                ("node", .optional(line.node, JSONDocument.node)),
                                ("compared", .integer(line.figures.compared)),
                            ] + Self.named(line.figures).map { ($0.0, .integer($0.1)) })
                    })
            ),
            ("differences", .list(check.origins.differences.map(Self.json))),
        ])
    }

    private static func json(_ difference: OriginDifference) -> JSONDocument {
        .object(
            JSONDocument.members("key", difference.key.key.bytes) + [
                ("namespace", .text(difference.key.namespace.name)),
                ("node", .node(difference.node)),
                ("apart_ms", .milliseconds(difference.span)),
            ] + OriginSideText.members(of: difference.comparison))
    }
}

/// The two sides of a comparison with an origin, for people and for scripts.
enum OriginSideText {
    /// `14 B, version 4, ETag "e1", digest 1f3a0b72c4d5e6f7`; or that there is none.
    static func text(_ side: ValueImprint?) -> String {
        guard let side else { return "no value" }
        var parts = [FigureText.size(UInt64(side.valueBytes))]
        if side.version != .none { parts.append("version \(side.version.rawValue)") }
        if let etag = side.etag { parts.append("ETag \(HarmlessText.line(etag.bytes))") }
        parts.append("digest \(hexadecimal(side.digest))")
        return parts.joined(separator: ", ")
    }

    /// What a script reads of a comparison, beside the node and the key that were asked.
    static func members(of found: OriginComparison) -> [JSONDocument.Member] {
        [
            ("filled", .optional(found.filled, JSONDocument.position)),
            ("age_ms", .milliseconds(found.age)), ("fenced", .bool(!found.isUnfenced)),
            ("shown", .optional(found.shown, json)), ("origin", .optional(found.origin, json)),
        ]
    }

    private static func json(_ side: ValueImprint) -> JSONDocument {
        var members: [JSONDocument.Member] = [
            ("value_bytes", .integer(side.valueBytes)),
            ("digest", .text(hexadecimal(side.digest))),
            ("version", .version(side.version)),
        ]
        if let etag = side.etag { members += JSONDocument.members("etag", etag.bytes) }
        return .object(members)
    }

    private static func hexadecimal(_ digest: UInt64) -> String {
        HexText.text(of: withUnsafeBytes(of: digest.bigEndian) { Array($0) })
    }
}
