import ArgumentParser
import CacheModel
import CommandSurface
import MartletClient

/// `martlet queue [drop|retry]`
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "List, drop or retry writes that origins have not received.",
        discussion: """
            In a namespace with write-behind, a node queues writes that the origin does not accept \
            now, and sends them in their order when it is back. Writes that the origin then \
            rejects are kept until an operator drops or retries them.

              martlet queue
              martlet queue drop --of user:17
              martlet queue retry --all-rejected
            """,
        subcommands: [QueueListCommand.self, QueueDropCommand.self, QueueRetryCommand.self],
        defaultSubcommand: QueueListCommand.self)
}

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
        let queues = try await cluster.withClient { try await $0.cluster.queuedWrites(of: node) }
        try cluster.finish(QueueListing(queues: queues).output(cluster.style))
    }
}

/// `martlet queue retry --of KEY|--all-rejected`
struct QueueRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Have rejected writes tried again.",
        discussion: """
            They are told behind what the keys have since then, under new names.

              martlet queue retry --of user:17
              martlet queue retry --all-rejected
            """)

    @OptionGroup var choice: RejectedChoice
    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let (key, room) = (choice.key, room.room)
        let queues = try await cluster.withClient {
            try await $0.cluster.orderRejected(.retry, key: key, in: room)
        }
        try cluster.finish(
            QueueListing(queues: queues, done: "tried again").output(cluster.style), confirms: true)
    }
}

/// `martlet queue drop --of KEY|--all-rejected`
struct QueueDropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Forget rejected writes.",
        discussion: """
            The keys go on with what their origins have.

              martlet queue drop --of user:17
              martlet queue drop --all-rejected
            """)

    @OptionGroup var choice: RejectedChoice
    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let (key, room) = (choice.key, room.room)
        let queues = try await cluster.withClient {
            try await $0.cluster.orderRejected(.drop, key: key, in: room)
        }
        try cluster.finish(
            QueueListing(queues: queues, done: "forgotten").output(cluster.style), confirms: true)
    }
}

/// Which rejected writes an order is about.
struct RejectedChoice: ParsableArguments {
    /// Not `--key`: that names the file of one's own key, in every command that asks a cluster.
    @Option(
        name: .customLong("of"), help: ArgumentHelp("Those of this key.", valueName: "key"),
        transform: ArgumentText.key)
    var key: CacheKey?

    @Flag(help: "All of them, on every node.")
    var allRejected = false

    func validate() throws {
        guard (key == nil) == allRejected else {
            throw ValidationError("say either --of KEY or --all-rejected")
        }
    }
}
