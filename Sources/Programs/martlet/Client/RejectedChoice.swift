import ArgumentParser
import CacheModel

/// Which rejected writes an order is about.
struct RejectedChoice: ParsableArguments {
    /// Not `--key`: that names the file of one's own key, in every command that asks a cluster.
    @Option(
        name: .customLong("of"), help: ArgumentHelp("Those of this key.", valueName: "key"),
        transform: ArgumentText.key)
    var key: CacheKey?

    @Flag(help: "All of them, on every node.")
    var allRejected = false

    func validate() throws {
        guard (key == nil) == allRejected else {
            throw ValidationError("say either --of KEY or --all-rejected")
        }
    }
}
