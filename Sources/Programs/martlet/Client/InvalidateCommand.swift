import ArgumentParser
import CacheConfiguration
import CacheModel
import CommandSurface
import MartletClient

/// `martlet invalidate (key K… | tag T… | prefix P… | namespace NS… | pattern P | all)`
struct InvalidateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invalidate",
        abstract: "Make entries unusable on every node, with a receipt.",
        discussion: """
            All names of one command are one record of the log: all are applied, or none. The \
            receipt tells which nodes have applied it, which can no longer serve, and which are \
            pending. Ends with 2 if what was waited for was not reached: the invalidation stands \
            all the same. A pending node may show older values as fresh until its lease ends, and \
            then none before it has applied the record. It also \
            tells how many entries were covered, where counters know that at once.

            namespace and all ask before they are done. Without a terminal they need --yes, and \
            end with 64 where it is missing.

            With --over, entries are hidden bit by bit, so that readers do not all go to the \
            origin at once. The order is kept by the publisher and goes on without the command, \
            also after a restart: Ctrl-C stops watching, not hiding. martlet pacing shows and \
            cancels them.

            pattern lists the keys of every node, and invalidates those that match by key, at most \
            --rate a second. * is any bytes, ? one byte, [a-z] and [^a-z] one of a set, and \\ \
            takes the next byte as it is; quote it, or the shell replaces it by file names. It is \
            slow, and does not cover keys that are stored or loaded meanwhile, that are only on \
            disk, hidden or cached as absent, or that are on a node that does not answer: then it \
            ends with 2. Tags and prefixes are exact. Ctrl-C stops it and tells what was done.

            A dry run asks counters and stalls no work. It counts what is in memory and not hidden \
            yet by the same scope; what has expired, or is hidden by another one, counts until it \
            is taken out. Entries that several names cover are counted for each, and replicas for \
            each node. Where it says "at most", tags past a node's limit are counted with others. \
            A prefix and a pattern have no counter: keys are looked through, page by page.

              martlet invalidate tag news
              martlet invalidate key user:17 --min-version 42 --wait quorum
              martlet invalidate prefix user: --dry-run
              martlet invalidate namespace images --yes --timeout 1s --json
              martlet invalidate all --over 30s
              martlet invalidate pattern 'user:*:cart' --rate 1000/s
            """)

    @Argument(
        help: .value("key|tag|prefix|namespace|pattern|all", "What the names are."),
        completion: .list(InvalidationKind.allCases.map(\.rawValue)),
        transform: InvalidationKind.read)
    var kind: InvalidationKind

    @Argument(help: "Which ones; none for all.", completion: ClusterNames.invalidated)
    var names: [NameArgument] = []

    @Flag(help: "Stale rather than gone: readers that allow it are still served.")
    var soft = false

    @Option(
        help: "Spare entries of this version or a later one; with key only.",
        transform: ArgumentText.version)
    var minVersion: Version?

    @Option(
        help: .value(
            "duration", "Spread it over this time, 1s to 7d; with tag, prefix, namespace and all."),
        transform: ArgumentText.span)
    var over: Duration?

    @Option(
        help: .value("K/s", "At most so many keys a second; with pattern. (default: 10000/s)"),
        transform: ArgumentText.keyRate)
    var rate: Int?

    @Flag(help: "Count what it would hide, and invalidate nothing.")
    var dryRun = false

    @Flag(help: "Do not ask before namespace and all; needed where there is no terminal.")
    var yes = false

    @OptionGroup var receipt: ReceiptOptions
    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    func validate() throws {
        try refuse(
            if: minVersion != nil && kind != .key,
            "--min-version belongs to invalidate key; only keys have one")
        try refuse(
            if: over != nil && kind == .key,
            "--over is for what covers many keys; a key is hidden at once")
        try refuse(
            if: over != nil && names.count > PacedOrder.scopesMax,
            "with --over there are at most \(PacedOrder.scopesMax) names")
        try refuse(
            if: kind == .all && !names.isEmpty,
            "all takes no names; to invalidate \(names[0].text) say what it is")
        try refuse(
            if: kind != .all && names.isEmpty, "invalidate \(kind.rawValue) needs at least one name"
        )
        try refuse(
            if: room.namespace != nil && kind.isSweeping,
            kind == .all
                ? "all is every namespace; for one write invalidate namespace NS"
                : "invalidate namespace takes its names without --namespace")
        try checkPattern()
        guard kind != .pattern else { return }
        try InvalidationRequest.check(count: names.count)
        _ = try scopes()
    }

    private func checkPattern() throws {
        guard kind == .pattern else {
            try refuse(if: rate != nil, "--rate belongs to invalidate pattern; others have --over")
            return
        }
        try refuse(
            if: over != nil, "a pattern has --rate; --over is for tag, prefix, namespace, all")
        try refuse(
            if: names.count > 1,
            "invalidate pattern takes one pattern, not \(names.count); quote it, or the shell "
                + "replaces it by file names")
        _ = try patternOrder()
    }

    private func scopes() throws -> [Scope] {
        if kind == .all { return [Scope(.everything)] }
        return try names.map { name in
            let target = try read(name) { try kind.target($0, in: room.room) }
            return Scope(target, minimumVersion: minVersion)
        }
    }

    private func read<Value>(
        _ name: NameArgument, as meaning: (String) throws -> Value
    ) throws -> Value {
        do {
            return try meaning(name.text)
        } catch let problem as TextProblem {
            throw ValidationError("\(TextProblem.quote(name.text)): \(problem.sentence)")
        }
    }

    func patternOrder() throws -> PatternOrder {
        var options = PatternInvalidationOptions()
        options.keysPerSecond = rate ?? options.keysPerSecond
        options.strength = soft ? .soft : .hard
        options.wait = receipt.wait
        options.timeout = cluster.patience
        options.isDryRun = dryRun
        return PatternOrder(
            pattern: try read(names[0], as: ArgumentText.pattern), namespace: room.room,
            options: options, isQuiet: cluster.quiet)
    }

    func order() throws -> InvalidationRequest {
        InvalidationRequest(
            scopes: try scopes(), strength: soft ? .soft : .hard, wait: receipt.wait,
            patience: cluster.patience)
    }

    func run() async throws {
        if kind == .pattern {
            let order = try patternOrder()
            try confirm(order.summary)
            return try await order.run(in: cluster)
        }
        let order = try order()
        if dryRun {
            let report = try await cluster.withClient(for: .manyAnswers) {
                try await order.counted(by: $0)
            }
            return try cluster.finish(report.output(cluster.style))
        }
        try confirm(order.summary)
        if let over {
            return try await PacedOrder(order: order, span: over, isQuiet: cluster.quiet)
                .run(in: cluster)
        }
        let report = try await cluster.withClient { try await order.carriedOut(by: $0) }
        try cluster.finish(report.output(cluster.style), confirms: true)
    }

    // MARK: Consent

    enum Consent {
        case given
        case toBeAskedFor
        case missing
    }

    /// Whether the order may be carried out.
    ///
    /// - Parameter isTerminal: whether a person can be asked.
    func consent(isTerminal: Bool) -> Consent {
        guard isSweeping, !yes, !dryRun else { return .given }
        return isTerminal ? .toBeAskedFor : .missing
    }

    private var isSweeping: Bool {
        guard kind == .pattern else { return kind.isSweeping }
        do {
            return try patternOrder().pattern.equivalent == .everyKey
        } catch {
            // `validate()` has refused it.
            return true
        }
    }

    /// - Throws: ``CommandFailure`` if the answer is no, or there is no terminal to ask at.
    private func confirm(_ summary: String) throws(CommandFailure) {
        switch consent(isTerminal: Console.isInputTerminal) {
        case .given: return
        case .toBeAskedFor:
            guard Console.confirm("This hides \(summary) on every node. Go on?") else {
                throw CommandFailure(.refused, "nothing was invalidated")
            }
        case .missing:
            throw CommandFailure(
                .wrongUsage,
                "nothing was invalidated: this hides \(summary) on every node, and standard "
                    + "input is no terminal to ask at; say --yes")
        }
    }
}
