import ArgumentParser
import CommandSurface
import MartletClient

/// `martlet pacing list`
struct PacingListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show those that run, and some that ended lately.",
        discussion: """
            done is the share of the keys that is hidden, left how long the rest takes. position \
            is the newest slice: a node that has applied it has obeyed all slices before.

              martlet pacing list --json
            """)

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let all = try await cluster.withClient { try await $0.pacedInvalidations() }
        try cluster.finish(PacingListing(pacings: all).output(cluster.style))
    }
}
