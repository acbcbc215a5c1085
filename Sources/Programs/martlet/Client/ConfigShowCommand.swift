import ArgumentParser
import CacheConfiguration
import CommandSurface
import MartletClient

/// `martlet config show [FILE]`
struct ConfigShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a configuration in full, every default filled in.",
        discussion: """
            Of a file, or without one, of the running cluster.

              martlet config show cluster.yaml
              martlet config show --cluster tcp://127.0.0.1:7400
            """)

    @Argument(help: "The file; without one the cluster is asked.")
    var file: String?

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let served: ServedText
        if let file {
            do {
                served = ServedText(try ConfigurationReading.read(file))
            } catch let problems as ConfigurationErrors {
                return try ConfigurationCheck(.failure(problems)).output(cluster.style).finish()
            }
        } else {
            let answer = try await cluster.withClient { try await $0.servedConfiguration() }
            served = ServedText(revision: answer.revision, text: answer.text)
        }
        try served.output(cluster.style).finish()
    }
}
