import ArgumentParser
import ByteCoding
import CacheModel
import CommandSurface
import MartletClient

/// `martlet forget NODE`
struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Have the publisher drop what it knows of a dead node.",
        discussion: """
            For a node that ended without a goodbye: status lists it as never heard then. A node \
            that may still answer fresh is refused, and the line says for how long; one that runs \
            is drained first. It stays in the configuration and owns the keys it owned; if it \
            returns, it introduces itself again. By itself all this happens ten minutes after its \
            last grant ended.

              martlet forget n2
            """)

    @Argument(help: "The node.", completion: ClusterNames.nodes, transform: ArgumentText.node)
    var node: NodeID

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let count = try await cluster.withClient { try await $0.cluster.forget(node) }
        try cluster.finish(
            ForgetReport(node: node, runCount: count).output(cluster.style), confirms: true)
    }
}

/// What the publisher dropped of a node.
struct ForgetReport {
    var node: NodeID
    var runCount: Int

    func output(_ style: OutputStyle) -> CommandOutput {
        let json = JSONDocument.object([
            ("node", .node(node)), ("runs", .integer(runCount)), ("why", .text(sentence)),
        ])
        return CommandOutput(style, json: json) { $0.writeLine(sentence) }
    }

    private var sentence: String {
        guard runCount > 0 else {
            return "nothing was known of \(node): it was never heard, or has said goodbye"
        }
        return "\(node) is forgotten (\(FigureText.count(runCount, "run"))): it counts as never "
            + "heard, and keeps its keys"
    }
}
