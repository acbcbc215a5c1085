import ByteCoding
import CacheConfiguration
import CacheHTTP
import CacheModel
import CommandSurface
import MartletClient

/// An invalidation of the keys that match a pattern, as it was typed.
struct PatternOrder: Sendable {
    let pattern: KeyGlob
    let namespace: Namespace
    let options: PatternInvalidationOptions
    let isQuiet: Bool

    var summary: String {
        pattern.equivalent == .everyKey
            ? "every key of namespace \(namespace)" : PatternReport.name(pattern, in: namespace)
    }

    /// Which other command says the same exactly; `nil` if none does.
    var hint: String? {
        let room = namespace == .default ? "" : " --namespace \(namespace)"
        switch pattern.equivalent {
        case nil: return nil
        case .key(let key):
            return "the pattern has no wildcard, so it is one key; martlet invalidate key "
                + "\(HarmlessText.line(key.bytes))\(room) covers it exactly and at once"
        case .prefix(let prefix):
            return "the pattern is a prefix; martlet invalidate prefix "
                + "\(HarmlessText.line(prefix))\(room) covers it exactly and at once"
        case .everyKey:
            return "the pattern is every key; martlet invalidate namespace \(namespace) covers "
                + "them exactly and at once"
        }
    }

    /// Says what became of it. Ctrl-C ends it before the next record.
    func run(in cluster: ClusterOptions) async throws {
        if let hint, !isQuiet { Console.complain(hint) }
        let report = try await Interruption.result {
            try await cluster.withClient(for: .manyAnswers) {
                try await carriedOut(by: $0, patience: cluster.patience)
            }
        }
        guard let report else {
            throw CommandFailure(.incomplete, "stopped before anything was invalidated")
        }
        try cluster.finish(report.output(cluster.style), confirms: !options.isDryRun)
    }

    private func carriedOut(
        by client: CacheClient, patience: Duration
    ) async throws -> PatternReport {
        var line = ProgressLine(isQuiet: isQuiet)
        let result = try await client.invalidate(
            keysMatching: pattern, in: namespace, options: options
        ) { state in
            line.show { Self.progress(state, after: $0) }
        }
        line.finish()
        return PatternReport(
            result: result, strength: options.strength, patience: patience,
            cluster: client.clusterID)
    }

    /// `1200 keys listed, 1 of 3 nodes scanned · 10 match, 8 invalidated · 4/s`.
    static func progress(_ state: PatternInvalidation, after elapsed: Duration) -> String {
        let listed = state.nodes.reduce(0) { $0 + $1.listedCount }
        let scanned = state.nodes.count { $0.isScanned }
        var text = "\(FigureText.count(listed, "key")) listed, \(scanned) of "
        text += "\(FigureText.count(state.nodes.count, "node")) scanned · \(state.keyCount) match"
        guard !state.isDryRun else { return text }
        let rate = ProgressLine.rate(state.invalidatedCount, in: elapsed)
        return text + ", \(state.invalidatedCount) invalidated · \(rate)"
    }
}

/// What has become of an invalidation by a pattern, for people and scripts.
struct PatternReport {
    var result: PatternInvalidation
    var strength = InvalidationRecord.Strength.hard
    /// How long each record waited for nodes.
    var patience: Duration
    /// Of which cluster the position is; none where that is not known.
    var cluster = ClusterID.none

    /// `keys matching user:*:cart in images`.
    static func name(_ pattern: KeyGlob, in namespace: Namespace) -> String {
        "keys matching \(HarmlessText.line(pattern.bytes))"
            + (namespace == .default ? "" : " in \(namespace)")
    }

    /// What a listing cannot promise.
    static let limits =
        "not covered: keys stored or loaded meanwhile, only on disk, hidden, or cached as absent; "
        + "tags and prefixes cover all"

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput(style, json: json) { output in
            output.write(table.text(isColoured: style.isColoured))
            output.writeLine(summary)
            output.writeLine(Self.limits)
        }
        complain(into: &output)
        return output
    }

    private var table: Table {
        var table = Table([.left("node"), .left("state"), .right("keys"), .right("matching")])
        for node in result.nodes {
            let state: Table.Cell =
                if !node.isScanned {
                    .init("not scanned", .bad)
                } else if node.problem != nil {
                    .init("in doubt", .warning)
                } else {
                    .init("scanned", .good)
                }
            table.add([
                .init(node.id.name), state, .init("\(node.listedCount)"),
                .init("\(node.matchedCount)"),
            ])
        }
        return table
    }

    private var summary: String {
        let limit = result.isExact ? "" : "at most "
        let name = Self.name(result.pattern, in: result.namespace)
        if result.isDryRun {
            let bytes = result.nodes.reduce(0) { $0 + $1.matchedBytes }
            return "\(limit)\(result.keyCount) \(name) would be hidden, with \(bytes) bytes of "
                + "values · a dry run, nothing was invalidated"
        }
        let softly = strength == .soft ? " softly" : ""
        var text = "\(limit)\(result.invalidatedCount) \(name) invalidated\(softly)"
        guard let position = result.position else { return text }
        text += " in \(FigureText.count(result.recordCount, "record")), the last at "
        text += "\(ClusterPosition(position, of: cluster)) · waited for \(result.wait.rawValue)"
        return text
    }

    // MARK: What is not done

    private func complain(into output: inout CommandOutput) {
        for node in result.nodes {
            guard let problem = node.problem else { continue }
            let what = node.isScanned ? "is in doubt" : "was not scanned to its end"
            output.complain(
                "not complete: node \(node.id) \(what): \(HarmlessText.line(problem))",
                isNothingScanned ? .unreachable : .incomplete)
        }
        if result.incompleteCount > 0 { output.complain(debt, .incomplete) }
        if let failure = result.failure {
            let isPartly = result.invalidatedCount + result.inDoubtCount > 0
            output.complain(ended(by: failure), isPartly ? .incomplete : ExitStatus(failure))
        }
        if result.wasStopped {
            output.complain(
                "stopped\(doubt); keys that were not listed or sent by then are as they were",
                .incomplete)
        }
        if output.status == .incomplete || output.status == .unreachable {
            output.complain("run it again to cover the rest; what was invalidated stays so")
        }
    }

    private var isNothingScanned: Bool {
        !result.wasStopped && result.failure == nil
            && result.nodes.allSatisfy { !$0.isScanned && $0.listedCount == 0 }
    }

    private var debt: String {
        let nodes = result.pending.map(\.name).joined(separator: ", ")
        let verb = result.pending.count == 1 ? "has" : "have"
        return "not complete: \(nodes) \(verb) not applied "
            + "\(FigureText.count(result.incompleteCount, "record")) within "
            + "\(DurationText.format(patience)); the invalidations stand: until its lease ends a "
            + "node may show older values as fresh, then none"
    }

    private func ended(by failure: CacheError) -> String {
        "not complete: \(HarmlessText.line(failure.message))\(doubt)"
    }

    private var doubt: String {
        guard result.inDoubtCount > 0 else { return "" }
        let keys = FigureText.count(result.inDoubtCount, "more key")
        return "; \(keys) may have been invalidated"
    }

    // MARK: JSON

    private var json: JSONDocument {
        let what: [JSONDocument.Member] =
            JSONDocument.members("pattern", result.pattern.bytes) + [
                ("namespace", .text(result.namespace.name)),
                ("soft", .bool(strength == .soft)),
                ("dry_run", .bool(result.isDryRun)),
                ("wait", .text(result.wait.rawValue)),
            ]
        let outcome: [JSONDocument.Member] = [
            ("complete", .bool(result.isComplete)),
            ("matched", .integer(result.keyCount)),
            ("invalidated", .integer(result.invalidatedCount)),
            ("in_doubt", .integer(result.inDoubtCount)),
            ("exact", .bool(result.isExact)),
            ("records", .integer(result.recordCount)),
            ("pending", .list(result.pending.map { .object([("node", .node($0))]) })),
            ("stopped", .bool(result.wasStopped)),
            ("failure", .optional(result.failure) { .text($0.message) }),
            ("nodes", .list(result.nodes.map(Self.json))),
        ]
        return .object(JSONDocument.place(result.position, of: cluster) + what + outcome)
    }

    private static func json(_ node: PatternInvalidation.Node) -> JSONDocument {
        .object([
            ("node", .node(node.id)), ("scanned", .bool(node.isScanned)),
            ("keys", .integer(node.listedCount)), ("matched", .integer(node.matchedCount)),
            ("bytes", .integer(node.matchedBytes)),
            ("why", .optional(node.problem) { .text($0) }),
        ])
    }
}
