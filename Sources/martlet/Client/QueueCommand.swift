import ArgumentParser

/// `martlet queue [drop|retry]`
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Show or order what becomes of writes that origins have not got.",
        discussion: """
            In a namespace with write-behind a node keeps writes that the origin does not take \
            now, and tells it in their order when it is back. Those that the origin refuses \
            then are kept until somebody looks at them.

              martlet queue
              martlet queue drop --of user:17
              martlet queue retry --all-rejected
            """,
        subcommands: [QueueListCommand.self, QueueDropCommand.self, QueueRetryCommand.self],
        defaultSubcommand: QueueListCommand.self)
}
