import CacheConfiguration
import ByteCoding
import CommandSurface

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
        let parts: [String?] = [
            FigureText.count(configuration.nodes.count, "node"), configuration.topology.rawValue,
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
