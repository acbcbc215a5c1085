import ByteCoding
import CacheHTTP
import CacheModel
import CommandSurface
import MartletClient

extension ExplainReport {
    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput(style, json: json) { output in
            for line in lines { write(line, to: &output) }
        }
        for line in lines {
            if case .failure(let error)? = line.comparison {
                output.complain(
                    "node \(line.node) does not compare: \(error.sentence(endpoints: []))",
                    .incomplete)
            }
            guard case .failure(let error) = line.answer else { continue }
            output.complain(
                "node \(line.node) does not answer: \(error.sentence(endpoints: []))", .incomplete)
        }
        return output
    }

    // MARK: For people

    private func write(_ line: Line, to output: inout CommandOutput) {
        let role = owner.map { $0 == line.node ? ", owner of the key" : "" } ?? ""
        guard case .success(let found) = line.answer else {
            return output.writeLine("\(line.node)  UNREACHABLE\(role)")
        }
        let lease = found.leaseLeft.map { ", lease \(FigureText.timeLeft($0))" } ?? ", no lease"
        output.writeLine("\(line.node)  \(found.state)\(lease), applied \(found.applied)\(role)")
        output.writeLine("    " + found.sentence)
        if let entry = found.entry { output.writeLine("    " + Self.text(entry)) }
        if case .success(let compared)? = line.comparison {
            output.writeLine("    " + compared.sentence)
        }
        for floor in found.floors { output.writeLine("    " + Self.text(floor)) }
        // Where the history begins, a token's does too, and nothing more is to be said.
        let start = found.floors.first { $0.cover == .history }?.hard
        if let base = found.tokenBase, base != start {
            output.writeLine("    tokens from before \(base) are refused")
        }
    }

    private static func text(_ entry: KeyExplanation.Entry) -> String {
        var parts = [
            "memory",
            FigureText.size(UInt64(entry.valueBytes))
                + " (\(FigureText.size(UInt64(entry.chargedBytes))) charged)",
        ]
        if entry.version != .none { parts.append("version \(entry.version.rawValue)") }
        if let etag = entry.etag { parts.append("ETag \(HarmlessText.line(etag.bytes))") }
        parts += text(entry.representation)
        parts.append("stored \(FigureText.timeLeft(entry.age)) ago")
        parts.append(
            entry.timeToLive.map { "expires in \(FigureText.timeLeft($0))" } ?? "never expires")
        if entry.isUnfenced { parts.append("stored without a token") }
        if !entry.tags.isEmpty {
            let names = entry.tags.map { HarmlessText.line($0.bytes) }
            parts.append("tags " + names.joined(separator: " "))
        }
        return parts.joined(separator: ", ")
    }

    private static func text(_ representation: Representation) -> [String] {
        [
            ("type", representation.contentType), ("encoding", representation.contentEncoding),
            ("language", representation.contentLanguage),
        ].compactMap { name, field in
            field.map { "\(name) \(HarmlessText.line(Array($0.text.utf8)))" }
        }
    }

    private static func text(_ floor: KeyExplanation.Floor) -> String {
        if floor.cover == .history {
            let start = floor.hard.map { "at \($0)" } ?? "in an earlier log"
            return "history: what this node knows of it begins \(start)"
        }
        var parts: [String] = []
        if let hard = floor.hard { parts.append("invalidated at \(hard)") }
        if let soft = floor.soft { parts.append("softly invalidated at \(soft)") }
        if floor.minimumVersion > .none {
            parts.append("versions below \(floor.minimumVersion.rawValue) are refused")
        }
        if parts.isEmpty { parts.append("invalidated in an earlier log") }
        return floor.cover.text + ": " + parts.joined(separator: ", ")
    }

    // MARK: For scripts

    private var json: JSONDocument {
        .object(
            JSONDocument.members("key", key.bytes) + [
                ("namespace", .text(namespace.name)),
                ("owner", .optional(owner, JSONDocument.node)),
                ("nodes", .list(lines.map(Self.json))),
            ])
    }

    private static func json(_ line: Line) -> JSONDocument {
        guard case .success(let found) = line.answer else {
            return .object([("node", .node(line.node)), ("reachable", .bool(false))])
        }
        return .object(
            [
                ("node", .node(line.node)), ("reachable", .bool(true)),
                ("state", .text(found.state.description)), ("applied", .position(found.applied)),
                ("lease_ms", .optional(found.leaseLeft, JSONDocument.milliseconds)),
                ("verdict", .text(found.verdict.rawValue)), ("why", .text(found.sentence)),
                ("load_ms", .optional(found.loadLeft, JSONDocument.milliseconds)),
                ("token_base", .optional(found.tokenBase, JSONDocument.position)),
                ("entry", .optional(found.entry, json)), ("floors", .list(found.floors.map(json))),
            ] + comparison(of: line))
    }

    /// No member where no comparison was asked for; `null` where none came.
    private static func comparison(of line: Line) -> [JSONDocument.Member] {
        switch line.comparison {
        case nil: []
        case .failure: [("compared", .null)]
        case .success(let found):
            [("compared", json(found))]
        }
    }

    private static func json(_ found: OriginComparison) -> JSONDocument {
        .object(
            [
                ("verdict", .text(found.verdict.name)), ("took_ms", .milliseconds(found.took)),
                ("failure", .optional(found.failure) { .text($0.sentence) }),
            ] + OriginSideText.members(of: found))
    }

    private static func json(_ entry: KeyExplanation.Entry) -> JSONDocument {
        var members: [JSONDocument.Member] = [
            ("tier", .text("memory")), ("value_bytes", .integer(entry.valueBytes)),
            ("charged_bytes", .integer(entry.chargedBytes)),
            ("version", .version(entry.version)),
        ]
        members += JSONDocument.tags(entry.tags.map(\.bytes))
        members += [
            ("age_ms", .milliseconds(entry.age)),
            ("ttl_ms", .optional(entry.timeToLive, JSONDocument.milliseconds)),
            ("stale_ms", .optional(entry.staleFor, JSONDocument.milliseconds)),
            ("filled", .optional(entry.filled, JSONDocument.position)),
            ("fenced", .bool(!entry.isUnfenced)),
        ]
        if let etag = entry.etag { members += JSONDocument.members("etag", etag.bytes) }
        members += JSONDocument.members(of: entry.representation)
        return .object(members)
    }

    private static func json(_ floor: KeyExplanation.Floor) -> JSONDocument {
        var members: [JSONDocument.Member] = []
        switch floor.cover {
        case .key: members = [("kind", .text("key"))]
        case .tag(let name):
            members = [("kind", .text("tag"))] + JSONDocument.members("name", name)
        case .prefix(let name):
            members = [("kind", .text("prefix"))] + JSONDocument.members("name", name)
        case .namespace: members = [("kind", .text("namespace"))]
        case .everything: members = [("kind", .text("all"))]
        case .history: members = [("kind", .text("history"))]
        }
        members += [
            ("hard", .optional(floor.hard, JSONDocument.position)),
            ("soft", .optional(floor.soft, JSONDocument.position)),
            ("above_entry", .bool(floor.isAboveEntry)),
        ]
        if floor.minimumVersion > .none {
            members.append(("min_version", .unsigned(floor.minimumVersion.rawValue)))
        }
        return .object(members)
    }
}

extension OriginComparison {
    /// One sentence: how what is shown stands to what the origin has.
    var sentence: String {
        switch verdict {
        case .same where shown == nil: "The origin has no value either."
        case .same: "The origin has the same value."
        case .differs: "The origin has something else: \(OriginSideText.text(origin))."
        case .notShown: "The origin was not asked: nothing fresh is shown."
        case .changed: "It changed while the origin was asked; ask again."
        case .pending:
            "The origin was not asked: writes of the key wait that it was not told of; see martlet "
                + "queue."
        case .failed:
            "The origin gave nothing: \(failure?.sentence ?? LoadFailure.unavailable.sentence)."
        }
    }
}

extension OriginComparison.Verdict {
    var name: String {
        switch self {
        case .same: "same"
        case .differs: "differs"
        case .notShown: "not_shown"
        case .changed: "changed"
        case .pending: "pending"
        case .failed: "failed"
        }
    }
}
