import ArgumentParser
import ByteCoding
import CacheModel
import CommandSurface
import MartletClient

struct ScanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan",
        abstract: "List the keys that are there.",
        discussion: """
            Of a namespace, in no order, a page at a time. Keys that are stored or removed \
            meanwhile may or may not be listed. Where nodes are replicas, those of one node.

            --match takes a pattern: * is any bytes, ? one byte, [a-z] and [^a-z] one of a set, \
            and \\ takes the next byte as it is. Quote it, or the shell replaces it by file names. \
            Nodes list all keys that begin as the pattern does, and the command picks those that \
            match.

            --hottest lists those that are asked for most, the hottest first and without what is \
            stale: about, from what the nodes' eviction policies remember of a sample.

              martlet scan --prefix user: --limit 20
              martlet scan --match 'user:*:cart' --keys
              martlet scan --hottest 1000 --keys > keys.txt
              martlet scan --namespace images --tag logos --json
            """)

    @Option(help: "Only keys that begin with this.", transform: ArgumentText.prefix)
    var prefix: [UInt8]?

    @Option(help: "Only keys with this tag.", transform: ArgumentText.tag)
    var tag: Tag?

    @Option(
        help: .value("pattern", "Only keys that match this pattern."),
        transform: ArgumentText.pattern)
    var match: KeyGlob?

    @Option(
        help: "Only what is on this node.",
        completion: ClusterNames.nodes, transform: ArgumentText.node)
    var node: NodeID?

    @Option(
        help: .value("count", "At most this many keys. (default: all)"),
        transform: ArgumentText.count)
    var limit: Int?

    @Option(
        help: .value("count", "Only about so many that are asked for most."),
        transform: ArgumentText.count)
    var hottest: Int?

    @Flag(help: "Only the keys, a line each, exactly: what martlet prefetch reads.")
    var keys = false

    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    func validate() throws {
        try refuse(
            if: prefix != nil && tag != nil, "--prefix and --tag exclude each other; give one")
        try refuse(if: hottest != nil && limit != nil, "--hottest says how many; leave --limit out")
        try refuse(
            if: hottest != nil && match != nil,
            "--hottest goes with --prefix or --tag, not with --match")
        try refuse(if: keys && cluster.json, "--keys and --json exclude each other; give one")
    }

    var target: Scope.Target {
        if let prefix { return .prefix(prefix, in: room.room) }
        if let tag { return .tag(tag, in: room.room) }
        return .namespace(room.room)
    }

    func run() async throws {
        var listing = ScanListing(
            style: cluster.style, columns: keys ? .keys : hottest == nil ? .usual : .withHeat)
        try await cluster.withClient(for: .manyAnswers) { client in
            if let hottest {
                for entry in try await client.cluster.hottest(hottest, of: target, node: node) {
                    if let page = listing.add(entry) { try page.say() }
                }
                return
            }
            var keys = client.cluster.scan(target, matching: match, node: node).makeAsyncIterator()
            while listing.count < limit ?? .max, let entry = try await keys.next() {
                if let page = listing.add(entry) { try page.say() }
            }
        }
        try cluster.finish(listing.rest())
        if Console.isErrorTerminal && !cluster.quiet {
            Console.complain("\(FigureText.count(listing.count, "key")) listed")
        }
    }
}

/// The keys of a scan on their way to the output, in pages: a line at a time would be slow, and
/// all at once would fill the memory.
struct ScanListing {
    /// Lines of a page. The columns of later pages are at least as wide as those before.
    static let pageLines = 256

    /// What is listed of each key.
    enum Columns {
        case usual
        /// With how often it is asked for, about.
        case withHeat
        /// Nothing but its bytes.
        case keys
    }

    let style: OutputStyle
    let columns: Columns
    /// Keys so far.
    private(set) var count = 0
    private var table: Table
    private var page = CommandOutput()

    init(style: OutputStyle, columns: Columns = .usual) {
        self.style = style
        self.columns = columns
        let usual: [Table.Column] = [
            .left("key", widthMax: 64), .right("bytes"), .right("ttl"),
        ]
        table = Table(columns == .withHeat ? usual + [.right("heat")] : usual)
    }

    /// Takes a key.
    ///
    /// - Returns: a page, when one is full.
    mutating func add(_ entry: ScanEntry) -> CommandOutput? {
        count += 1
        if style == .json {
            page.writeLine(json(entry))
        } else if columns == .keys {
            write(entry.key)
        } else {
            let usual: [Table.Cell] = [
                .init(HarmlessText.line(entry.key.bytes)), .init("\(entry.valueBytes)"),
                .init(FigureText.timeLeft(entry.timeToLive)),
            ]
            table.add(columns == .withHeat ? usual + [.init("\(entry.heat)")] : usual)
        }
        return count % Self.pageLines == 0 ? rest() : nil
    }

    mutating func rest() -> CommandOutput {
        if !table.rows.isEmpty {
            let isFirst = count <= Self.pageLines
            page.write(table.text(isColoured: style.isColoured, hasTitles: isFirst))
            table.removeRows()
        }
        defer { page = CommandOutput() }
        return page
    }

    /// A key on a line of its own, unless it would become two.
    private mutating func write(_ key: CacheKey) {
        guard !key.bytes.contains(UInt8(ascii: "\n")), key.bytes.last != UInt8(ascii: "\r") else {
            return page.complain(
                "\(HarmlessText.line(key.bytes)) is left out: it does not fit a line")
        }
        page.bytes += key.bytes
        page.write("\n")
    }

    private func json(_ entry: ScanEntry) -> JSONDocument {
        .object(
            JSONDocument.members("key", entry.key.bytes) + [
                ("bytes", .integer(entry.valueBytes)),
                ("ttl_ms", .optional(entry.timeToLive, JSONDocument.milliseconds)),
                ("node", .node(entry.node)),
            ] + (columns == .withHeat ? [("heat", .integer(entry.heat))] : []))
    }
}
