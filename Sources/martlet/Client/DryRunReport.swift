import CacheHTTP
import CacheModel
import CommandSurface
import MartletClient

/// What an invalidation would hide.
struct DryRunReport {
    var order: InvalidationOrder
    /// One for each node.
    var counts: [NodeCount]

    private var entryCount: Int { counts.map(\.entryCount).reduce(0, NodeCount.sum) }
    private var isExact: Bool { counts.allSatisfy(\.isExact) }
    private var entryBytes: Int { counts.map(\.entryBytes).reduce(0, NodeCount.sum) }

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
        let entries = FigureText.count(entryCount, "entry", "entries")
        output.writeLine(
            "\(order.summary) would hide \(isExact ? "" : "at most ")\(entries) of "
                + "\(entryBytes) bytes · a dry run, nothing was invalidated")
        return output
    }

    private var json: JSONDocument {
        .object([
            ("position", .null),
            ("scopes", .list(order.scopes.map(JSONDocument.scope))),
            ("wait", .text(order.wait.rawValue)),
            ("complete", .null),
            ("applied", .list([])), ("expired", .list([])), ("pending", .list([])),
            ("entries", .integer(entryCount)), ("bytes", .integer(entryBytes)),
            ("exact", .bool(isExact)),
            ("nodes", .list(counts.map(Self.json))),
        ])
    }

    private static func json(_ count: NodeCount) -> JSONDocument {
        .object([
            ("node", .node(count.node)), ("entries", .integer(count.entryCount)),
            ("bytes", .integer(count.entryBytes)),
        ])
    }
}
