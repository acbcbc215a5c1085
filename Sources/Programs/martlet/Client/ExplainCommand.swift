import ArgumentParser
import CacheModel
import CommandSurface
import MartletClient

/// `martlet explain KEY`
struct ExplainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Tell why each node would show a key, or would not.",
        discussion: """
            Shows what no get does: hidden entries, the invalidations that cover them, and \
            whether the key is being loaded. It changes nothing. Ends with 2 if a node does not \
            answer.

            --origin compares what each node would show as fresh with the value that the key's \
            origin has now: one request to the origin for each of these nodes.

              martlet explain user:42
              martlet explain user:42 --namespace users --origin
              martlet explain logo --namespace images --node n2 --json
            """)

    @Argument(help: "The key.", transform: ArgumentText.key)
    var key: CacheKey

    @Option(help: "Only this node.", completion: ClusterNames.nodes, transform: ArgumentText.node)
    var node: NodeID?

    @Flag(help: "Compare with what the key's origin has.")
    var origin = false

    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let report = try await cluster.withClient { client in
            var report = try await ExplainReport.gathered(
                key, in: room.room, only: node, from: client)
            if origin { await report.compareWithOrigin(by: client) }
            return report
        }
        try cluster.finish(report.output(cluster.style))
    }
}
