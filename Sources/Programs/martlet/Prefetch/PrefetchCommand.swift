import ArgumentParser
import CacheConfiguration
import CacheModel
import CommandSurface
import MartletClient

struct PrefetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prefetch",
        abstract: "Have keys loaded from their origin, ahead of need.",
        discussion: """
            In a namespace with an origin: what is not fresh is loaded and kept, and what is fresh \
            is left alone. Keys come as arguments, or a line each from a file, from standard input \
            (-) or from what a shell command prints. Each goes to its owner; where nodes are \
            replicas to every one of them, or to --node.

            Readers have priority: prefetches use at most a quarter of an origin's slots, and slow \
            down when none of these is free. A key that fails is tried five times, --timeout \
            (30s here) each; twenty failed keys in a row end the command. Ends with 2 if some \
            keys were not loaded.

            Ctrl-C stops asking. The summary says how many lines are done; --skip goes on there.

              martlet prefetch user:17 user:18
              martlet prefetch --file keys.txt --rate 200/s --in-flight 16
              martlet scan --hottest 1000 --node n1 --keys | martlet prefetch - --node n2
              martlet prefetch --namespace pages --command 'psql -Atc "select url from pages"'
            """)

    @Argument(help: .value("key|-", "What to load, or - for standard input."))
    var keys: [NameArgument] = []

    @Option(help: .value("file", "A file with a key on each line."))
    var file: String?

    @Option(help: .value("command", "A shell command that prints a key on each line."))
    var command: String?

    @Option(
        help: .value("K/s", "At most so many keys a second. (default: no limit)"),
        transform: ArgumentText.keyRate)
    var rate: Int?

    @Option(
        help: .value("count", "At most so many keys at a time, 1 to 1024."),
        transform: ArgumentText.inFlight)
    var inFlight = 64

    @Option(
        help: .value("count", "Pass over so many keys first; they are done."),
        transform: ArgumentText.skipped)
    var skip = 0

    @Option(
        help: .value("age", "Load values older than this, even if fresh."),
        transform: ArgumentText.duration)
    var maxAge: Duration?

    @Option(
        help: "Only at this node.",
        completion: ClusterNames.nodes, transform: ArgumentText.node)
    var node: NodeID?

    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    /// How long a key may take each time, where nothing else is said.
    static let patience: Duration = .seconds(30)

    func validate() throws {
        switch [!keys.isEmpty, file != nil, command != nil].count(where: { $0 }) {
        case 1: break
        case 0:
            throw ValidationError(
                "say which keys: as arguments, with --file FILE, with - for standard input, or "
                    + "with --command")
        default: throw ValidationError("arguments, --file and --command exclude each other")
        }
        try refuse(
            if: keys.contains(NameArgument(argument: "-")) && keys.count > 1,
            "- is standard input, and goes with no other keys")
        _ = try place
    }

    var place: KeyLines.Place {
        get throws {
            if let file { return file == "-" ? .input : .file(file) }
            if let command { return .command(command) }
            if keys == [NameArgument(argument: "-")] { return .input }
            return .arguments(
                try keys.map(\.text).map { text in
                    do {
                        return try ArgumentText.key(text)
                    } catch let problem as TextProblem {
                        throw ValidationError("\(TextProblem.quote(text)): \(problem.sentence)")
                    }
                })
        }
    }

    var options: PrefetchOptions {
        var options = PrefetchOptions()
        options.perSecond = rate
        options.inFlightMax = inFlight
        options.maxAge = maxAge
        options.node = node
        options.timeout = cluster.timeout ?? Self.patience
        return options
    }

    /// Says what became of it. Ctrl-C ends the asking.
    func run() async throws {
        let source = try KeySource(try place, skip: skip)
        let command = self
        let output = try await Interruption.result { try await command.carriedOut(source) }
        guard let output else {
            throw CommandFailure(.incomplete, "stopped before anything was asked for")
        }
        try cluster.finish(output, confirms: true)
    }

    private func carriedOut(_ source: KeySource) async throws -> CommandOutput {
        defer { source.close() }
        return try await cluster.withClient(for: .manyAnswers) { client in
            var tally = PrefetchTally(namespace: room.room, skip: skip)
            var screen = PrefetchScreen(isQuiet: cluster.quiet)
            do {
                _ = try await client.cluster.topology()
                let run = try PrefetchRun(client, in: room.room, options)
                try await run.carryOut(from: { try await source.next() }) { news in
                    switch news {
                    case .ended(let item, let result):
                        try tally.add(item, result)
                        screen.show(tally)
                    case .resting(let rest, let error): screen.show(tally, resting: rest, error)
                    }
                }
            } catch let failure as CommandFailure {
                tally.end(failure)
            } catch  where Task.isCancelled {
                tally.isStopped = true
            }
            screen.finish()
            return tally.output(cluster.style)
        }
    }
}

/// How far a prefetch is, on standard error.
struct PrefetchScreen {
    private var line: ProgressLine

    init(isQuiet: Bool) { line = ProgressLine(isQuiet: isQuiet) }

    mutating func show(_ tally: PrefetchTally) { line.show { Self.text(tally, after: $0) } }

    mutating func show(_ tally: PrefetchTally, resting rest: Duration, _ error: CacheError) {
        let reason = error.loadFailure?.sentence ?? HarmlessText.line(error.message)
        line.show {
            "\(Self.text(tally, after: $0)) · resting \(FigureText.timeLeft(rest)): \(reason)"
        }
    }

    /// `12 keys: 10 loaded, 2 fresh, 0 absent · 120/s`.
    static func text(_ tally: PrefetchTally, after elapsed: Duration) -> String {
        "\(tally.sentence) · \(ProgressLine.rate(tally.keyCount, in: elapsed))"
    }

    func finish() { line.finish() }
}
