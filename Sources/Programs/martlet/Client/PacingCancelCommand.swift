import ArgumentParser
import CacheModel
import CommandSurface
import MartletClient

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
        let stopped = try await cluster.withClient { try await $0.cancel(id) }
        try cluster.finish(PacingListing(pacings: [stopped]).output(cluster.style), confirms: true)
    }
}
