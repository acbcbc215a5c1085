import ByteCoding
import CacheModel
import CommandSurface
import MartletClient

/// What an invalidation would hide.
struct DryRunReport {
    var order: InvalidationRequest
    /// One for each node.
    var counts: [NodeCount]

    private var total: EntryCount { EntryCount(counts) }

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput()
        guard style != .json else {
            output.writeLine(json)
            return output
        }
        var table = Table([.left("node"), .right("entries"), .right("bytes")])
        for count in counts {
            table.add([
                .init(count.node.name), .init("\(count.entryCount)"), .init("\(count.entryBytes)"),
            ])
        }
        output.write(table.text(isColoured: style.isColoured))
        output.writeLine(
            "\(order.summary) would hide \(total.text) of \(total.entryBytes) bytes · a dry run, "
                + "nothing was invalidated")
        return output
    }

    private var json: JSONDocument {
        let place: [JSONDocument.Member] = [
            ("position", .null),
            ("scopes", .list(order.scopes.map(JSONDocument.scope))),
            ("wait", .text(order.wait.rawValue)),
            ("complete", .null),
            ("applied", .list([])), ("expired", .list([])), ("pending", .list([])),
        ]
        return .object(place + total.members + [("nodes", .list(counts.map(Self.json)))])
    }

    private static func json(_ count: NodeCount) -> JSONDocument {
        .object([
            ("node", .node(count.node)), ("entries", .integer(count.entryCount)),
            ("bytes", .integer(count.entryBytes)),
        ])
    }
}
