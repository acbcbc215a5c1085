import ArgumentParser
import CacheConfiguration
import CommandSurface
import ConsoleCore

struct TopCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "top",
        abstract: "A live screen of the cluster.",
        discussion: """
            Shows the state of the publisher and the nodes, the cluster's load over the last \
            minute, a row for each node, and the invalidations as they come. Press ? for the keys. \
            Values that were not reported are a dash, values of an earlier time faint. Only \
            changes are sent to the terminal, and nothing while it accepts no more, so that it \
            works over a slow line.

              martlet top
              martlet top --interval 5s --sort gets --filter n1
              martlet top --once --json
            """)

    static let intervals: ClosedRange<Duration> = .milliseconds(100)...(.seconds(3_600))

    @Option(
        help: .value("duration", "Time between two polls of the cluster."),
        transform: TopCommand.interval)
    var interval: Duration = .seconds(1)

    @Option(
        help: .value(
            "column",
            "The column to sort by: \(NodeColumn.allCases.map(\.rawValue).joined(separator: ", "))"
                + "."), transform: TopCommand.column)
    var sort: NodeColumn = .node

    @Flag(help: "Sort the other way round.")
    var reverse = false

    @Option(
        help: .value("text", "Show only nodes with this text in their name, state or endpoint."))
    var filter = ""

    @Flag(help: "Begin without the invalidations.")
    var noStream = false

    @Flag(help: "Write it once, as text, and end.")
    var once = false

    @Option(
        help: .value("n", "Write it so many times, as text, and end."),
        transform: ArgumentText.count)
    var count: Int?

    @OptionGroup var cluster: ClusterOptions

    func validate() throws {
        try refuse(if: once && count != nil, "say --once or --count, not both")
        try refuse(
            if: filter.count > ConsoleLimits.filterCharactersMax,
            "a filter has at most \(ConsoleLimits.filterCharactersMax) characters")
    }

    func run() async throws {
        let settings = try settings
        if once || count != nil || cluster.json {
            let report = TopReport(
                settings: settings, countMax: once ? 1 : count ?? .max, style: cluster.style)
            return try await report.run(cluster, patience: patience)
        }
        try Self.refuse(
            isTerminal: Console.isOutputTerminal, environment: ProcessEnvironment.variables)
        try await TopRun(settings: settings, isColoured: Console.usesColour)
            .run(cluster, patience: patience)
    }

    /// How long an answer may take: the timeout if one was given, else one interval, at least 1 s.
    private var patience: Duration { cluster.timeout ?? max(interval, .seconds(1)) }

    private var settings: ConsoleSettings {
        get throws {
            let endpoints = try cluster.endpoints.map(EndpointKeys.shortened)
            var settings = ConsoleSettings(
                interval: interval, endpoints: endpoints.joined(separator: ", "))
            settings.sort = sort
            settings.isReversed = reverse
            settings.filter = filter
            settings.showsStream = !noStream
            return settings
        }
    }

    /// Refuses what is no terminal for a screen, and says what to do instead.
    static func refuse(
        isTerminal: Bool, environment: [String: String]
    ) throws(CommandFailure) {
        let remedy = "--once or --count N writes it as text, --json for scripts"
        if !isTerminal {
            throw CommandFailure(.wrongUsage, "standard output is no terminal; \(remedy)")
        }
        let kind = environment["TERM", default: ""]
        guard !kind.isEmpty, kind != "dumb" else {
            throw CommandFailure(
                .wrongUsage, "this terminal (TERM=\(kind)) cannot show a screen; \(remedy)")
        }
    }

    private static func interval(_ text: String) throws -> Duration {
        try DurationText.parse(text, in: intervals)
    }

    private static func column(_ text: String) throws -> NodeColumn {
        guard let column = NodeColumn(rawValue: text) else {
            let names = NodeColumn.allCases.map(\.rawValue).joined(separator: ", ")
            throw TextProblem("give one of \(names)")
        }
        return column
    }
}
