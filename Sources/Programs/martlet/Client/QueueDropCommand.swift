import ArgumentParser
import CacheModel
import CommandSurface
import MartletClient

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
            try await $0.orderRejected(.drop, key: key, in: room)
        }
        try cluster.finish(
            QueueListing(queues: queues, done: "forgotten").output(cluster.style), confirms: true)
    }
}
