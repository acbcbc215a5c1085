import ArgumentParser
import CacheModel
import CommandSurface
import MartletClient

/// `martlet queue list`
struct QueueListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show the writes that wait, and those that were rejected.",
        discussion: """
            tries counts from the node's last start. Ends with 2 if something was rejected, or a \
            node does not answer.

              martlet queue list --json
            """)

    @Option(
        help: "Only of this node.",
        completion: ClusterNames.nodes, transform: ArgumentText.node)
    var node: NodeID?

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let node = node
        let queues = try await cluster.withClient { try await $0.queuedWrites(of: node) }
        try cluster.finish(QueueListing(queues: queues).output(cluster.style))
    }
}
