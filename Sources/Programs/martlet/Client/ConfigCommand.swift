import ArgumentParser

/// `martlet config`
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check and show the configuration of a cluster.",
        discussion: """
              martlet config check cluster.yaml
              martlet config show
            """,
        subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self])
}
