import ArgumentParser
import ByteCoding
import CacheConfiguration
import CommandSurface
import MartletClient

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

/// What `config check` found in a file.
struct ConfigurationCheck {
    let outcome: Result<ClusterConfiguration, ConfigurationErrors>

    init(_ outcome: Result<ClusterConfiguration, ConfigurationErrors>) {
        self.outcome = outcome
    }

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput()
        if style == .json { output.writeLine(json) }
        switch outcome {
        case .success(let configuration):
            if style != .json { output.writeLine("ok: \(Self.summary(configuration))") }
        case .failure(let errors):
            output.problems = errors.description.split(separator: "\n").map(String.init)
            output.status = .unusableConfiguration
        }
        return output
    }

    private static func summary(_ configuration: ClusterConfiguration) -> String {
        let shards = configuration.nodes.reduce(0) { $0 + $1.shards }
        let memory = configuration.nodes.reduce(0) { $0 + $1.memory }
        let disk = disk(configuration)
        let publishers = configuration.publishers.count
        let parts: [String?] = [
            FigureText.count(configuration.nodes.count, "node"), configuration.topology.rawValue,
            configuration.membership == .open ? "others may join" : nil,
            publishers > 0 ? FigureText.count(publishers, "publisher") : nil,
            FigureText.count(shards, "shard"), "\(ByteSizeText.format(memory)) of memory",
            disk > 0 ? "\(ByteSizeText.format(disk)) of disk" : nil,
            FigureText.count(configuration.namespaces.count, "namespace") + " listed",
            "revision \(configuration.revision)",
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private static func disk(_ configuration: ClusterConfiguration) -> Int {
        configuration.nodes.reduce(0) { $0 + ($1.disk?.bytes ?? 0) }
    }

    private var json: JSONDocument {
        switch outcome {
        case .success(let configuration):
            .object([
                ("ok", .bool(true)), ("nodes", .integer(configuration.nodes.count)),
                ("shards", .integer(configuration.nodes.reduce(0) { $0 + $1.shards })),
                ("topology", .text(configuration.topology.rawValue)),
                ("memory", .integer(configuration.nodes.reduce(0) { $0 + $1.memory })),
                ("disk", .integer(Self.disk(configuration))),
                ("namespaces", .integer(configuration.namespaces.count)),
                ("publishers", .integer(configuration.publisherAddresses.count)),
                ("revision", .unsigned(UInt64(configuration.revision))), ("problems", .list([])),
            ])
        case .failure(let errors):
            .object([
                ("ok", .bool(false)),
                ("problems", .list(errors.problems.map(Self.json))),
                ("omitted", .integer(errors.omittedCount)),
            ])
        }
    }

    private static func json(_ problem: ConfigurationProblem) -> JSONDocument {
        .object([
            ("file", .text(problem.fileName)), ("line", .integer(problem.place.line)),
            ("column", .integer(problem.place.column)), ("path", .text(problem.path)),
            ("problem", .text(problem.sentence)),
        ])
    }
}
