import CacheConfiguration
import CommandSurface
import EssentialFoundation

/// One line of an audit log, as far as people are shown it. docs/audit-format.md tells every field.
struct AuditEntry: Decodable {
    struct Scope: Decodable {
        var kind: String
        var name: String?
        var nameHash: String?
        var namespace: String?
    }

    var time: String
    var event: String
    var who: String?
    var key: String?
    var from: String?
    var claim: String?

    var position: String?
    var strength: String?
    var scopeCount: UInt64?
    var scopes: [Scope]?
    var repeated: Bool?
    var complete: Bool?
    var applied: UInt64?
    var expired: UInt64?
    var pending: UInt64?
    var ms: UInt64?
    var pacing: UInt64?
    var overMs: UInt64?
    var node: String?
    var runs: UInt64?
    var order: String?
    var name: String?
    var nameHash: String?
    var namespace: String?
    var message: String?
    var missing: String?
    var count: UInt64?
    var door: String?
    var reason: String?
    var entries: UInt64?
    var new: [String]?
    var gone: [String]?
    var changed: [String]?
    var role: String?

    private static let decoder: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }()

    /// - Returns: `nil` for what is no line of an audit log.
    init?(_ line: [UInt8]) {
        do {
            self = try Self.decoder.decode(AuditEntry.self, from: Data(line))
        } catch {
            return nil
        }
    }
}

/// A line for people: the identity, the action and its outcome.
extension AuditEntry {
    static let columns: [Table.Column] = [
        .left("TIME"), .left("WHO", widthMax: 32), .left("FROM", widthMax: 39), .left("EVENT"),
        .left("WHAT", widthMax: 48), .left("OUTCOME"),
    ]

    /// Scopes that are named; the rest is counted.
    private static let scopesShownMax = 4

    var cells: [Table.Cell] {
        [
            Table.Cell(shown(time)), Table.Cell(whoText), Table.Cell(shown(from)),
            Table.Cell(shown(event), tone), Table.Cell(what), Table.Cell(outcome),
        ]
    }

    private var tone: Table.Tone {
        switch event {
        case "denied", "left-out", "stranger", "lost": .bad
        case "receipt": complete == false ? .warning : .plain
        default: .plain
        }
    }

    private func shown(_ text: String?) -> String {
        text.map { HarmlessText.line($0) } ?? FigureText.none
    }

    /// What the key proves, and what was claimed besides: `n1 (web)`.
    private var whoText: String {
        let proven = who ?? key.map { "key \($0)…" }
        let isSame = claim == nil || claim == proven || claim == who.map { "node:\($0)" }
        guard let claim, !isSame else { return shown(proven) }
        return shown(proven.map { "\($0) (\(claim))" } ?? "(\(claim))")
    }

    private var what: String {
        switch event {
        case "invalidate": "\(shown(strength)) \(scopesText)"
        case "receipt": "receipt of \(shown(position))"
        case "pace": "\(shown(strength)) \(scopesText)"
        case "cancel": "pacing \(number(pacing))"
        case "forget", "drain": "node \(shown(node))"
        case "queue": "\(shown(order)) \(queueText)"
        case "denied": shown(message)
        case "left-out": "further denials"
        case "stranger": "door \(shown(door))"
        case "list": "list of keys"
        case "begin": shown(role)
        default: FigureText.none
        }
    }

    private var outcome: String {
        switch event {
        case "invalidate": "at \(shown(position))\(repeated == true ? ", again" : "")"
        case "receipt": receiptText
        case "pace": "pacing \(number(pacing)), over \(overText)"
        case "forget": FigureText.count(runs ?? 0, "run")
        case "denied": "missing \(shown(missing))"
        case "left-out", "lost": FigureText.count(count ?? 0, "line")
        case "stranger": shown(reason)
        case "list": listText
        default: FigureText.none
        }
    }

    private func number(_ value: UInt64?) -> String { value.map { "\($0)" } ?? FigureText.none }

    private var overText: String {
        overMs.map { DurationText.format(.milliseconds(Int64(clamping: $0))) } ?? FigureText.none
    }

    private var scopesText: String {
        let all = scopes ?? []
        var texts = all.prefix(Self.scopesShownMax).map(text)
        let rest = (scopeCount ?? UInt64(all.count)) - UInt64(texts.count)
        if rest > 0 { texts.append("and \(rest) more") }
        return texts.joined(separator: ", ")
    }

    private func text(_ scope: Scope) -> String {
        if scope.kind == "all" { return "everything" }
        let name = named(scope.name, scope.nameHash)
        let room = scope.namespace.map { $0 == "default" ? "" : " in \(shown($0))" } ?? ""
        return "\(shown(scope.kind)) \(name)\(room)"
    }

    /// A name, its hash, or that it was not written.
    private func named(_ name: String?, _ hash: String?) -> String {
        if let name { return shown(name) }
        return hash.map { "#\(shown($0))" } ?? "?"
    }

    private var queueText: String {
        let room = namespace.map { $0 == "default" ? "" : " in \(shown($0))" } ?? ""
        guard name != nil || nameHash != nil else { return "writes\(room)" }
        return "key \(named(name, nameHash))\(room)"
    }

    private var receiptText: String {
        let counts = [(applied, "applied"), (expired, "expired"), (pending, "pending")]
        let parts = counts.compactMap { count, word in
            count.flatMap { $0 > 0 ? "\($0) \(word)" : nil }
        }
        let time = ms.map { " in \($0) ms" } ?? ""
        let word = complete == true ? "complete" : "incomplete"
        return ([word + time] + parts).joined(separator: ", ")
    }

    private var listText: String {
        let changes = [("+", new), ("-", gone), ("~", changed)].flatMap { sign, names in
            (names ?? []).map { sign + shown($0) }
        }
        let entryText = FigureText.count(entries ?? 0, "entry", "entries")
        return ([entryText] + changes.prefix(8)).joined(separator: " ")
            + (changes.count > 8 ? " …" : "")
    }
}
