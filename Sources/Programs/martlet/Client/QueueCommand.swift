import ArgumentParser

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
