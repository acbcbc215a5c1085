import ArgumentParser
import CacheModel
import CommandSurface
import MartletClient

struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Remove keys everywhere.",
        discussion: """
            The same as invalidate key: one record of the log, and a receipt from every node. It \
            is a statement about the keys, whether they are there or not.

              martlet delete user:17 user:18
            """)

    @Argument(help: "What to remove.", transform: ArgumentText.key)
    var keys: [CacheKey]

    @OptionGroup var receipt: ReceiptOptions
    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    func validate() throws { try InvalidationRequest.check(count: keys.count) }

    var order: InvalidationRequest {
        InvalidationRequest(
            scopes: keys.map { Scope(.key($0, in: room.room)) }, wait: receipt.wait,
            patience: cluster.patience)
    }

    func run() async throws {
        let report = try await cluster.withClient { try await order.carriedOut(by: $0) }
        try cluster.finish(report.output(cluster.style), confirms: true)
    }
}

/// How much a command that invalidates waits for.
struct ReceiptOptions: ParsableArguments {
    @Option(
        name: .customLong("wait"),
        help: .value(
            "none|quorum|all", "Which nodes to wait for, as long as --timeout. (default: all)"),
        transform: ArgumentText.wait)
    var chosenWait: InvalidationWait?

    var wait: InvalidationWait { chosenWait ?? .all }
}
