import ArgumentParser

/// `martlet pacing [cancel ID]`
struct PacingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pacing",
        abstract: "Show or cancel invalidations that take their time.",
        discussion: """
            martlet invalidate --over 30s begins one. The publisher goes on with it by itself, \
            also after a restart.

              martlet pacing
              martlet pacing cancel 3
            """,
        subcommands: [PacingListCommand.self, PacingCancelCommand.self],
        defaultSubcommand: PacingListCommand.self)
}
