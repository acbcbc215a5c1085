import CacheConfiguration
import ByteCoding
import CommandSurface

/// A configuration as it is served: its revision and its normalised YAML.
struct ServedText {
    var revision: UInt32
    var text: String

    init(revision: UInt32, text: String) {
        self.revision = revision
        self.text = text
    }

    init(_ configuration: ClusterConfiguration) {
        self.init(revision: configuration.revision, text: configuration.yamlText())
    }

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput()
        if style == .json {
            output.writeLine(
                .object([("revision", .unsigned(UInt64(revision))), ("yaml", .text(text))]))
        } else {
            output.write(text.hasSuffix("\n") || text.isEmpty ? text : text + "\n")
        }
        return output
    }
}
