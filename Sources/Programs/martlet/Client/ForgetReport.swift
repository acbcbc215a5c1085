import ByteCoding
import CacheModel
import CommandSurface

/// What the publisher dropped of a node.
struct ForgetReport {
    var node: NodeID
    var runCount: Int

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput()
        if style == .json {
            output.writeLine(
                .object([
                    ("node", .node(node)), ("runs", .integer(runCount)), ("why", .text(sentence)),
                ]))
        } else {
            output.writeLine(sentence)
        }
        return output
    }

    private var sentence: String {
        guard runCount > 0 else {
            return "nothing was known of \(node): it was never heard, or has said goodbye"
        }
        return "\(node) is forgotten (\(FigureText.count(runCount, "run"))): it counts as never "
            + "heard, and keeps its keys"
    }
}
