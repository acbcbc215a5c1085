import ArgumentParser
import ByteCoding
import CacheModel
import CommandSurface
import MartletClient

struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "List, drop or retry writes that origins have not received.",
        discussion: """
            In a namespace with write-behind, a node queues writes that the origin does not accept \
            now, and sends them in their order when it is back. Writes that the origin then \
            rejects, or that another node may have overtaken since it got their key, are kept \
            until an operator drops or retries them.

              martlet queue
              martlet queue drop --of user:17
              martlet queue retry --all-rejected
            """,
        subcommands: [QueueListCommand.self, QueueDropCommand.self, QueueRetryCommand.self],
        defaultSubcommand: QueueListCommand.self)
}

struct QueueListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show the writes that wait, and those that were rejected.",
        discussion: """
            tries counts from the node's last start. Ends with 2 if something was rejected, or a \
            node does not answer.

              martlet queue list --json
            """)

    @Option(
        help: "Only of this node.",
        completion: ClusterNames.nodes, transform: ArgumentText.node)
    var node: NodeID?

    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let node = node
        let queues = try await cluster.withClient { try await $0.cluster.queuedWrites(of: node) }
        try cluster.finish(QueueListing(queues: queues).output(cluster.style))
    }
}

struct QueueRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Have rejected writes tried again.",
        discussion: """
            They are told behind what the keys have since then, under new names, also over newer \
            writes by other nodes.

              martlet queue retry --of user:17
              martlet queue retry --all-rejected
            """)

    @OptionGroup var choice: RejectedChoice
    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let (key, room) = (choice.key, room.room)
        let queues = try await cluster.withClient {
            try await $0.cluster.orderRejected(.retry, key: key, in: room)
        }
        try cluster.finish(
            QueueListing(queues: queues, done: "tried again").output(cluster.style), confirms: true)
    }
}

struct QueueDropCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drop",
        abstract: "Forget rejected writes.",
        discussion: """
            The keys go on with what their origins have.

              martlet queue drop --of user:17
              martlet queue drop --all-rejected
            """)

    @OptionGroup var choice: RejectedChoice
    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let (key, room) = (choice.key, room.room)
        let queues = try await cluster.withClient {
            try await $0.cluster.orderRejected(.drop, key: key, in: room)
        }
        try cluster.finish(
            QueueListing(queues: queues, done: "forgotten").output(cluster.style), confirms: true)
    }
}

/// Which rejected writes an order is about.
struct RejectedChoice: ParsableArguments {
    /// Not `--key`: that names the file of one's own key, in every command that asks a cluster.
    @Option(
        name: .customLong("of"), help: .value("key", "Those of this key."),
        transform: ArgumentText.key)
    var key: CacheKey?

    @Flag(help: "All of them, on every node.")
    var allRejected = false

    func validate() throws {
        guard (key == nil) == allRejected else {
            throw ValidationError("say either --of KEY or --all-rejected")
        }
    }
}

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
        let isLeft = done == nil && queues.contains { $0.rejectedCount > 0 }
        if isLeft || queues.contains(where: { $0.failure != nil }) { output.status = .incomplete }
        return output
    }

    private func write(into output: inout CommandOutput, _ style: OutputStyle) {
        for queue in queues {
            guard let failure = queue.failure else { continue }
            output.writeLine("\(queue.node) does not answer (\(failure)): its queue is not shown")
        }
        let counts = queues.map { $0.waitingCount + $0.rejectedCount }.reduce(0, +)
        guard counts > 0 else {
            let isAll = queues.allSatisfy { $0.failure == nil }
            return output.writeLine(
                isAll ? "nothing waits and nothing was rejected" : "the others have nothing")
        }
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
            let parts = [rejection.status.map { "\($0)" } ?? "", words].filter { !$0.isEmpty }
            return .init("rejected: \(parts.joined(separator: " "))", .bad)
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
            ("failure", .optional(queue.failure) { .text("\($0)") }),
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
