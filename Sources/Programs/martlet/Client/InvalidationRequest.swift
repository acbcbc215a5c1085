import ArgumentParser
import ByteCoding
import CacheConfiguration
import CacheModel
import CommandSurface
import MartletClient

/// What is to be invalidated, and how much is to be waited for.
struct InvalidationRequest: Sendable {
    var scopes: [Scope]
    var strength = InvalidationRecord.Strength.hard
    var wait: InvalidationWait
    var patience: Duration

    /// Refuses more scopes than one record has.
    static func check(count: Int) throws(ValidationError) {
        let most = InvalidationRecord.scopesMax
        guard count <= most else {
            throw ValidationError(
                "one invalidation has at most \(most) scopes, not \(count); "
                    + "use a tag or a prefix, or several commands")
        }
    }

    /// How long an order may wait for the count of what it covers; never more than a quarter of its
    /// time, which is the receipt's.
    private static let countPatience: Duration = .milliseconds(400)

    func carriedOut(by client: CacheClient) async throws(CacheError) -> InvalidationReport {
        let begun = ContinuousClock.now
        // An order that waits for no receipt does not wait for a count, either.
        let counts =
            wait == .none
            ? nil
            : await client.cluster.countCheaply(
                scopes, timeout: min(patience / 4, Self.countPatience))
        let left = patience - (ContinuousClock.now - begun)
        let receipt = try await client.invalidate(
            scopes, wait: wait, timeout: max(left, .milliseconds(1)), strength: strength)
        return InvalidationReport(
            order: self, receipt: receipt, covered: counts.map(EntryCount.init),
            cluster: client.clusterID)
    }

    func counted(by client: CacheClient) async throws(CacheError) -> DryRunReport {
        let counts = try await client.cluster.count(scopes)
        return DryRunReport(order: self, counts: counts)
    }

    /// The scopes in a few words: `tag news`, `key a and 41 more`.
    var summary: String {
        guard let first = scopes.first else { return "nothing" }
        let more = scopes.count == 1 ? "" : " and \(scopes.count - 1) more"
        return first.line + more
    }
}

/// Entries of all nodes together.
struct EntryCount: Hashable {
    var entryCount: Int
    var entryBytes: Int
    /// Otherwise they are at most so many.
    var isExact: Bool

    init(_ counts: [NodeCount]) {
        entryCount = counts.map(\.entryCount).reduce(0, NodeCount.sum)
        entryBytes = counts.map(\.entryBytes).reduce(0, NodeCount.sum)
        isExact = counts.allSatisfy(\.isExact)
    }

    /// `12 entries`, `at most 12 entries`.
    var text: String {
        (isExact ? "" : "at most ") + FigureText.count(entryCount, "entry", "entries")
    }

    var members: [JSONDocument.Member] {
        [
            ("entries", .integer(entryCount)), ("bytes", .integer(entryBytes)),
            ("exact", .bool(isExact)),
        ]
    }
}

extension Scope {
    /// As people read it, on one line: names that are not UTF-8 are told apart.
    var line: String {
        switch target {
        case .key(let key, let namespace): Self.line("key", key.bytes, in: namespace)
        case .tag(let tag, let namespace): Self.line("tag", tag.bytes, in: namespace)
        case .prefix(let prefix, let namespace): Self.line("prefix", prefix, in: namespace)
        case .namespace, .everything: HarmlessText.line(description)
        }
    }

    private static func line(_ kind: String, _ name: [UInt8], in namespace: Namespace) -> String {
        "\(kind) \(HarmlessText.line(name))" + (namespace == .default ? "" : " in \(namespace)")
    }
}

/// What `invalidate` can name.
enum InvalidationKind: String, CaseIterable {
    case key
    case tag
    case prefix
    case namespace
    case pattern
    case all

    /// Reads one as it is typed.
    static func read(_ text: String) throws -> InvalidationKind {
        guard let kind = InvalidationKind(rawValue: text) else {
            let names = allCases.map { "'\($0.rawValue)'" }
            throw TextProblem(
                "Please provide one of \(names.dropLast().joined(separator: ", ")) and "
                    + "\(names[names.count - 1]).")
        }
        return kind
    }

    /// Whether it deserves a question before it is done: what is named is more than one thinks.
    var isSweeping: Bool { self == .namespace || self == .all }

    /// The scope that a name of this kind means.
    ///
    /// - Throws: ``TextProblem`` if the name cannot be one. Traps for ``all``, which has none, and
    ///   for ``pattern``, which is no scope.
    func target(_ name: String, in namespace: Namespace) throws -> Scope.Target {
        switch self {
        case .key: .key(try ArgumentText.key(name), in: namespace)
        case .tag: .tag(try ArgumentText.tag(name), in: namespace)
        case .prefix: .prefix(try ArgumentText.prefix(name), in: namespace)
        case .namespace: .namespace(try ArgumentText.namespace(name))
        case .pattern: preconditionFailure("a pattern is no scope")
        case .all: preconditionFailure("everything has no name")
        }
    }
}

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

struct DeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Remove keys everywhere.",
        discussion: """
            The same as invalidate key: one record of the log, and a receipt from every node. It \
            is a statement about the keys, whether they are there or not.

              martlet delete user:17 user:18
            """)

    @Argument(help: "What to remove.", transform: ArgumentText.key)
    var keys: [CacheKey]

    @OptionGroup var receipt: ReceiptOptions
    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    func validate() throws { try InvalidationRequest.check(count: keys.count) }

    var order: InvalidationRequest {
        InvalidationRequest(
            scopes: keys.map { Scope(.key($0, in: room.room)) }, wait: receipt.wait,
            patience: cluster.patience)
    }

    func run() async throws {
        let report = try await cluster.withClient { try await order.carriedOut(by: $0) }
        try cluster.finish(report.output(cluster.style), confirms: true)
    }
}

/// How much a command that invalidates waits for.
struct ReceiptOptions: ParsableArguments {
    @Option(
        name: .customLong("wait"),
        help: .value(
            "none|quorum|all", "Which nodes to wait for, as long as --timeout. (default: all)"),
        transform: ArgumentText.wait)
    var chosenWait: InvalidationWait?

    var wait: InvalidationWait { chosenWait ?? .all }
}
