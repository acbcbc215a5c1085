import ArgumentParser
import CacheModel
import CommandSurface
import MartletClient

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

/// `martlet pacing list`
struct PacingListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show those that run, and some that ended lately.",
        discussion: """
            done is the share of the keys that is hidden, left how long the rest takes. position \
            is the newest slice: a node that has applied it has applied all slices before.

              martlet pacing list --json
            """)

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let all = try await cluster.withClient { try await $0.cluster.pacedInvalidations() }
        try cluster.finish(PacingListing(pacings: all).output(cluster.style))
    }
}

/// `martlet pacing cancel ID`
struct PacingCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Stop one of them. What it has hidden stays hidden.",
        discussion: """
            Prints how far it came. Ends with 4 if none of that number runs.

              martlet pacing cancel 3
            """)

    @Argument(help: "Its number, as martlet pacing shows it.", transform: ArgumentText.pacing)
    var id: PacingID

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let id = id
        let stopped = try await cluster.withClient { try await $0.cluster.cancel(id) }
        try cluster.finish(PacingListing(pacings: [stopped]).output(cluster.style), confirms: true)
    }
}
