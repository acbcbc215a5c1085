import ArgumentParser
import ByteCoding
import CommandSurface
import MartletClient

/// `martlet publisher step-down`: moves the leadership to another publisher.
struct StepDownCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "step-down",
        abstract: "Have another publisher lead, and wait until it does.",
        discussion: """
            For maintenance of the machine of the publisher that leads. Invalidations wait for the \
            moment of the change; reads go on, and nothing is hidden. Prints which publisher led, \
            which one leads now, and how long the change took. Ends with 4 if there is only one \
            publisher, and with 3 if no other publisher took over within --timeout.

              martlet publisher step-down
              martlet publisher step-down --cluster tcp://10.0.0.1:7400,tcp://10.0.0.2:7400
            """)

    @ParentCommand private var publisher: PublisherCommand
    @OptionGroup private var options: ClusterOptions

    /// The options of this command. The parser gives `--key` to the command of the role, which has
    /// a flag of that name.
    var cluster: ClusterOptions {
        var cluster = options
        cluster.key = cluster.key ?? publisher.role.key
        return cluster
    }

    func run() async throws {
        let cluster = cluster
        let change = try await cluster.withClient { try await $0.cluster.stepDown() }
        try cluster.finish(StepDownReport(change: change).output(cluster.style), confirms: true)
    }
}

/// Which publisher led, and which one leads now.
struct StepDownReport {
    var change: LeadershipChange

    func output(_ style: OutputStyle) -> CommandOutput {
        CommandOutput(style, json: json) { $0.writeLine(sentence) }
    }

    private var sentence: String {
        "\(Self.title(change.former)) led; \(Self.title(change.leader)) leads now, after "
            + FigureText.timeLeft(change.elapsed)
    }

    private static func title(_ publisher: LeadershipChange.Publisher) -> String {
        "\(publisher.name) (\(EndpointKeys.shortened(publisher.controlEndpoint)))"
    }

    private var json: JSONDocument {
        .object([
            ("former", Self.json(change.former)), ("leader", Self.json(change.leader)),
            ("elapsed_ms", .milliseconds(change.elapsed)), ("why", .text(sentence)),
        ])
    }

    private static func json(_ publisher: LeadershipChange.Publisher) -> JSONDocument {
        .object([
            ("name", .text(publisher.name)), ("control", .text(publisher.controlEndpoint)),
        ])
    }
}
