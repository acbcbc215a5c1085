import ArgumentParser
import CacheModel

/// Which rejected writes an order is about.
struct RejectedChoice: ParsableArguments {
    @Option(help: "Those of this key.", transform: ArgumentText.key)
    var key: CacheKey?

    @Flag(help: "All of them, on every node.")
    var allRejected = false

    func validate() throws {
        guard (key == nil) == allRejected else {
            throw ValidationError("say either --key KEY or --all-rejected")
        }
    }
}
