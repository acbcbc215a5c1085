import ArgumentParser
import CommandSurface
import MartletClient

/// `martlet status`
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the publisher and every node.",
        discussion: """
            applied is the position in the log that a node has obeyed, lag the records that it is \
            owed, lease how much longer it may call its entries fresh, memory what it uses of what \
            it may. Figures are summed over a node's shards. Below, a line for each node that is \
            not LIVE says why. Ends with 2 if somebody does not answer, with 4 if somebody may not \
            tell you.

              martlet status
              martlet status --watch --cluster tcp://127.0.0.1:7410
            """)

    /// Between two looks.
    private static let pause: Duration = .seconds(1)

    @Flag(help: "Look again every second until Ctrl-C.")
    var watch = false

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let style = cluster.style
        guard watch else {
            let status = try await cluster.withClient { try await ClusterStatus.gathered(from: $0) }
            return try cluster.finish(status.output(style))
        }
        let command = self
        try await Interruption.ending { try await command.follow(style) }
    }

    private func follow(_ style: OutputStyle) async throws {
        let clearing = style != .json && Console.isOutputTerminal ? "\u{1B}[H\u{1B}[J" : ""
        try await cluster.withClient(for: .manyAnswers) { client in
            while !Task.isCancelled {
                let status = try await ClusterStatus.gathered(from: client, isRefreshed: true)
                var output = status.output(style)
                output.bytes = Array(clearing.utf8) + output.bytes
                try output.say()
                try await Task.sleep(for: Self.pause)
            }
        }
    }
}
