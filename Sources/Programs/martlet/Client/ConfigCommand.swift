import ArgumentParser
import CacheConfiguration
import ByteCoding
import CommandSurface
import MartletClient

/// `martlet config`
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Check and show the configuration of a cluster.",
        discussion: """
              martlet config check cluster.yaml
              martlet config show
            """,
        subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self])
}

/// `martlet config check FILE`
struct ConfigCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check a configuration file for errors.",
        discussion: """
            Every problem at once, as FILE:LINE:COLUMN on standard error, and then exit code 78.

              martlet config check cluster.yaml
            """)

    @Argument(help: "The file.")
    var file: String

    @Flag(help: "Write one JSON object.")
    var json = false

    func run() throws {
        let outcome: Result<ClusterConfiguration, ConfigurationErrors>
        do {
            outcome = .success(try ConfigurationReading.read(file))
        } catch let problems as ConfigurationErrors {
            outcome = .failure(problems)
        }
        try ConfigurationCheck(outcome).output(.chosen(isJSON: json)).finish()
    }
}

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
            let answer = try await cluster.withClient { try await $0.cluster.servedConfiguration() }
            served = ServedText(revision: answer.revision, text: answer.text)
        }
        try served.output(cluster.style).finish()
    }
}

/// A configuration as it is served: its revision and its normalised YAML.
struct ServedText {
    var revision: UInt32
    var text: String

    func output(_ style: OutputStyle) -> CommandOutput {
        let json = JSONDocument.object([
            ("revision", .unsigned(UInt64(revision))), ("yaml", .text(text)),
        ])
        return CommandOutput(style, json: json) { output in
            output.write(text.hasSuffix("\n") || text.isEmpty ? text : text + "\n")
        }
    }
}

extension ServedText {
    init(_ configuration: ClusterConfiguration) {
        self.init(revision: configuration.revision, text: configuration.yamlText())
    }
}
