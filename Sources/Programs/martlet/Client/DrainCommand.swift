import ArgumentParser
import CacheModel
import CommandSurface

/// `martlet drain NODE`
struct DrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Have a node finish what it accepted, and leave.",
        discussion: """
            The node takes no new stores and gives no right to load, answers reads, finishes what \
            is under way (15 seconds at most), says goodbye and ends with 0. No invalidation waits \
            for it from then on. Its keys stay its own until the configuration changes. The \
            command waits until it has left, 30s unless --timeout says otherwise; asking again is \
            harmless. Ends with 2 if it is still there, with 3 if it does not answer.

              martlet drain n2
              martlet drain n2 --timeout 1m --json
            """)

    static let patienceDefault: Duration = .seconds(30)

    @Argument(help: "The node.", completion: ClusterNames.nodes, transform: ArgumentText.node)
    var node: NodeID

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let patience = cluster.timeout ?? Self.patienceDefault
        let report = try await cluster.withClient(for: .manyAnswers) { client in
            try await NodeDrain(
                node, client: client, patience: patience, isQuiet: cluster.quiet
            ).report()
        }
        try cluster.finish(report.output(cluster.style), confirms: true)
    }
}
