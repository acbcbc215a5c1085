import ArgumentParser
import CommandSurface
import MartletClient

/// `martlet status`
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the publisher and every node.",
        discussion: """
            applied is the position in the log that a node has applied, lag the number of records \
            that it still has to apply, lease how much longer it may call its entries fresh, \
            memory its use and its limit. Numbers are sums over a node's shards. Below, a line \
            for each node that is not LIVE says why. Ends with 2 if a process does not answer, \
            with 4 if your key may not ask one. --wait is for rolling restarts: it ends as soon \
            as every node is LIVE and filled from its replicas, and with 2 if that takes longer.

              martlet status
              martlet status --wait 10m
              martlet status --watch --cluster tcp://127.0.0.1:7410
            """)

    /// Between two looks.
    private static let pause: Duration = .seconds(1)

    @Flag(help: "Look again every second until Ctrl-C.")
    var watch = false

    @Option(
        help: ArgumentHelp(
            "Wait until every node is LIVE and filled, for this long at most.",
            valueName: "duration"),
        transform: ArgumentText.duration)
    var wait: Duration?

    @OptionGroup var cluster: ClusterOptions

    func validate() throws {
        guard watch, wait != nil else { return }
        throw ValidationError("--watch does not end, so it does not go with --wait.")
    }

    func run() async throws {
        let style = cluster.style
        if let wait {
            let command = self
            return try await Interruption.ending { try await command.waitUntilFilled(wait, style) }
        }
        guard watch else {
            let status = try await cluster.withClient { try await ClusterStatus.gathered(from: $0) }
            return try cluster.finish(status.output(style))
        }
        let command = self
        try await Interruption.ending { try await command.follow(style) }
    }

    /// Looks until every node is LIVE and filled, or the time is up; prints what was seen last.
    private func waitUntilFilled(
        _ patience: Duration, _ style: OutputStyle
    ) async throws {
        let end = ContinuousClock.now + patience
        let status = try await cluster.withClient(for: .manyAnswers) { client in
            var status = try await ClusterStatus.gathered(from: client, isRefreshed: true)
            // Waiting longer does not fill a node after its fill has ended.
            while !status.nodes.allSatisfy({ $0.isFilled || $0.unfilled != nil }),
                ContinuousClock.now < end
            {
                try await Task.sleep(for: Self.pause)
                status = try await ClusterStatus.gathered(from: client, isRefreshed: true)
            }
            return status
        }
        var output = status.output(style)
        status.complainOfUnfilled(after: patience, in: &output)
        try cluster.finish(output)
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
