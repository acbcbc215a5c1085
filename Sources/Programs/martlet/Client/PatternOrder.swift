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
