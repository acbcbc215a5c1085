import ArgumentParser
import ByteCoding
import CacheModel
import CommandSurface
import MartletClient

/// `martlet touch KEY… --ttl D`
struct TouchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "touch",
        abstract: "Give keys a new time to live.",
        discussion: """
            Counted from now; nothing else changes. Ends with 1 if a key is not there.

              martlet touch session:9 --ttl 30m
            """)

    @Argument(help: "What to touch.", transform: ArgumentText.key)
    var keys: [CacheKey]

    @Option(
        help: ArgumentHelp("How long they live from now, or none.", valueName: "duration"),
        transform: ArgumentText.lifetime)
    var ttl: StoreOptions.Lifetime

    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let found = try await cluster.withClient { client in
            try await client.touch(keys, lifetime: ttl, in: room.room)
        }
        let report = TouchReport(lines: zip(keys, found).map { ($0, $1) })
        try cluster.finish(report.output(cluster.style), confirms: true)
    }
}

/// Which keys a `touch` found.
struct TouchReport {
    var lines: [(key: CacheKey, isTouched: Bool)]

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput()
        for (key, isTouched) in lines {
            let shown = HarmlessText.line(key.bytes)
            if style == .json {
                let members = JSONDocument.members("key", key.bytes)
                output.writeLine(.object(members + [("touched", .bool(isTouched))]))
            } else if isTouched {
                output.writeLine("touched \(shown)")
            }
            if !isTouched { output.complain("not found: \(shown)", .notFound) }
        }
        return output
    }
}
