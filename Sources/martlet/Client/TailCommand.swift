import ArgumentParser
import CacheModel
import MartletClient

/// `martlet tail`
struct TailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "Follow the invalidations, one record a line.",
        discussion: """
            Begins with the next record, or after --from, until Ctrl-C. What the live channel \
            loses is replayed; where the publisher no longer has it, a line says so. A publisher \
            that goes away is waited for.

              martlet tail
              martlet tail --from 1:42 --json
            """)

    @Option(
        help: ArgumentHelp("Begin after this position.", valueName: "epoch:sequence"),
        transform: ArgumentText.position)
    var from: LogPosition?

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let command = self
        try await Interruption.ending { try await command.follow() }
    }

    private func follow() async throws {
        let style = cluster.style
        try await cluster.withClient { client in
            for await event in try await client.invalidations(from: from) {
                try TailLine(event).output(style).say()
            }
        }
    }
}
