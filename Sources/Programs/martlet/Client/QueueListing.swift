import ByteCoding
import CacheModel
import CommandSurface
import MartletClient

/// The nodes' queues of writes, for people and scripts.
struct QueueListing {
    var queues: [QueuedWrites]
    /// What became of rejected writes, if something was ordered: `forgotten`.
    var done: String?

    func output(_ style: OutputStyle) -> CommandOutput {
        let json = JSONDocument.object([("nodes", .list(queues.map(JSONDocument.queue)))])
        var output = CommandOutput(style, json: json) { output in
            if let done {
                let count = queues.reduce(0) { $0 + $1.changedCount }
                output.writeLine("\(FigureText.count(count, "write")) \(done)")
            }
            write(into: &output, style)
        }
        if done == nil, queues.contains(where: { $0.rejectedCount > 0 }) {
            output.status = .incomplete
        }
        return output
    }

    private func write(into output: inout CommandOutput, _ style: OutputStyle) {
        let counts = queues.map { $0.waitingCount + $0.rejectedCount }.reduce(0, +)
        guard counts > 0 else { return output.writeLine("nothing waits and nothing was rejected") }
        output.write(summary.text(isColoured: style.isColoured))
        output.writeLine("")
        output.write(table.text(isColoured: style.isColoured))
        let hidden = counts - queues.reduce(0) { $0 + $1.lines.count }
        if hidden > 0 { output.writeLine("and \(FigureText.count(hidden, "newer write"))") }
    }

    private var summary: Table {
        var table = Table([
            .left("node"), .left("namespace"), .right("waiting"), .right("rejected"),
            .right("oldest"),
        ])
        for queue in queues {
            let rooms = Dictionary(grouping: queue.lines, by: \.namespace)
            for (room, lines) in rooms.sorted(by: { $0.key.name < $1.key.name }) {
                let rejected = lines.count { $0.rejection != nil }
                table.add([
                    .init(queue.node.name), .init(room.name), .init("\(lines.count - rejected)"),
                    .init("\(rejected)", rejected > 0 ? .bad : .plain),
                    .init(FigureText.timeLeft(lines.map(\.age).max())),
                ])
            }
        }
        return table
    }

    private var table: Table {
        var table = Table([
            .left("node"), .right("number"), .left("namespace"), .left("key", widthMax: 48),
            .left("write"), .right("size"), .right("age"), .right("tries"), .left("state"),
        ])
        for queue in queues {
            for line in queue.lines {
                table.add([
                    .init(queue.node.name), .init("\(line.number)"), .init(line.namespace.name),
                    .init(HarmlessText.line(line.key.bytes)),
                    .init(line.valueBytes == nil ? "delete" : "put"),
                    .init(line.valueBytes.map { FigureText.size(UInt64($0)) } ?? FigureText.none),
                    .init(FigureText.timeLeft(line.age)), .init("\(line.attemptCount)"),
                    Self.state(line),
                ])
            }
        }
        return table
    }

    private static func state(_ line: QueuedWrites.Line) -> Table.Cell {
        if let rejection = line.rejection {
            let words = HarmlessText.line(rejection.words)
            let status = rejection.status.map { "\($0)" } ?? "its key cannot stand in the URL"
            return .init("rejected: \(status)\(words.isEmpty ? "" : " \(words)")", .bad)
        }
        return .init("waits" + (line.lastFailure.map { ": \($0)" } ?? ""), .warning)
    }
}

extension JSONDocument {
    fileprivate static func queue(_ queue: QueuedWrites) -> JSONDocument {
        .object([
            ("node", .node(queue.node)), ("waiting", .integer(queue.waitingCount)),
            ("rejected", .integer(queue.rejectedCount)),
            ("changed", .integer(queue.changedCount)),
            ("writes", .list(queue.lines.map(write))),
        ])
    }

    private static func write(_ line: QueuedWrites.Line) -> JSONDocument {
        .object(
            [("number", .unsigned(line.number)), ("namespace", .text(line.namespace.name))]
                + members("key", line.key.bytes) + [
                    ("write", .text(line.valueBytes == nil ? "delete" : "put")),
                    ("bytes", .optional(line.valueBytes) { .integer($0) }),
                    ("age_ms", .milliseconds(line.age)),
                    ("tries", .integer(line.attemptCount)),
                    ("last_failure", .optional(line.lastFailure) { .text("\($0)") }),
                    ("rejected", .bool(line.rejection != nil)),
                    ("status", .optional(line.rejection?.status) { .integer($0) }),
                    ("words", .optional(line.rejection) { .text(HarmlessText.line($0.words)) }),
                ])
    }
}
