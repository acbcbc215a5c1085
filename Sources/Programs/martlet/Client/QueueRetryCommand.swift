import ArgumentParser
import CacheModel
import CommandSurface
import MartletClient

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
            try await $0.orderRejected(.retry, key: key, in: room)
        }
        try cluster.finish(
            QueueListing(queues: queues, done: "tried again").output(cluster.style), confirms: true)
    }
}
