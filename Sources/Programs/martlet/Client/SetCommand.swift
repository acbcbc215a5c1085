import ArgumentParser
import ByteCoding
import CacheHTTP
import CacheModel
import CacheWire
import CommandSurface
import MartletClient

struct SetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Store a value.",
        discussion: """
            A store without a version is blind: nothing proves that its value was read after the \
            last invalidation, and it is marked unfenced. Applications load instead of storing.

              martlet set user:17 '{"name":"Ada"}' --ttl 10m --tag users
              martlet set logo.png - --namespace images --content-type image/png < logo.png
              martlet set counter -- -5
            """)

    @Argument(help: "Where to store it.", transform: ArgumentText.key)
    var key: CacheKey

    @Argument(
        help: "What to store; - reads standard input, any bytes.", transform: ArgumentBytes.bytes)
    var value: [UInt8]

    @Option(
        help: .value("duration", "How long it lives, or none. (default: as the namespace says)"),
        transform: ArgumentText.lifetime)
    var ttl: StoreOptions.Lifetime?

    @Option(
        name: .customLong("tag"), parsing: .singleValue,
        help: "A label to invalidate it by; up to 64 times.", transform: ArgumentText.tag)
    var tags: [Tag] = []

    @Option(
        help: "Store only over what has a lower version or none.",
        transform: ArgumentText.version)
    var version: Version?

    @Option(help: "Kept with the value and handed out again.", transform: ArgumentText.etag)
    var etag: Validator?

    @Option(
        help: .value("type", "What kind of thing it is, as image/png. Kept with it."),
        transform: ArgumentText.representationField)
    var contentType: RepresentationField?

    @Option(
        help: .value("coding", "The coding that the bytes are in, as gzip. Kept with it."),
        transform: ArgumentText.representationField)
    var contentEncoding: RepresentationField?

    @Option(
        help: .value("language", "Its language, as en. Kept with it."),
        transform: ArgumentText.representationField)
    var contentLanguage: RepresentationField?

    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    func validate() throws {
        try refuse(
            if: tags.count > Tag.perEntryMax,
            "an entry has at most \(Tag.perEntryMax) tags, not \(tags.count)")
    }

    var options: StoreOptions {
        var options = StoreOptions()
        options.lifetime = ttl ?? .namespaceDefault
        options.tags = tags
        options.version = version ?? .none
        options.etag = etag
        options.representation = Representation(
            contentType: contentType, contentEncoding: contentEncoding,
            contentLanguage: contentLanguage)
        return options
    }

    func run() async throws {
        let bytes =
            value == Array("-".utf8)
            ? try Console.readAll(bytesMax: WireLimits.valueBytesMax) : value
        let (result, told) = try await cluster.withClient { client in
            let item = StoreItem(key, bytes, options: options)
            return (await client.set([item], in: room.room), client.clusterID)
        }
        guard let outcome = result.first else {
            preconditionFailure("one store has one result")
        }
        let report = SetReport(
            key: key, outcome: outcome, endpoints: try cluster.endpoints, cluster: told)
        try cluster.finish(report.output(cluster.style), confirms: true)
    }
}

struct SetReport {
    var key: CacheKey
    var outcome: Result<StoreResult, CacheError>
    /// Those that were tried.
    var endpoints: [String]
    /// Of which cluster the position is; none where that is not known.
    var cluster = ClusterID.none

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput()
        if style == .json { output.writeLine(json) }
        switch outcome {
        case .success(let result):
            if style != .json { output.writeLine(sentence(result)) }
        case .failure(let error):
            let key = HarmlessText.line(key.bytes)
            let verdict = error.mayHaveHappened ? "no answer about" : "did not store"
            output.complain(
                "\(verdict) \(key): \(error.sentence(endpoints: endpoints))", ExitStatus(error))
        }
        return output
    }

    private func sentence(_ result: StoreResult) -> String {
        if result.isQueued {
            let node = result.node.map { " on \($0)" } ?? ""
            return "queued\(node): not finished yet; martlet queue shows what it waits for"
        }
        let nodes = result.storedOn.map(\.name).joined(separator: ", ")
        let place = nodes.isEmpty ? "" : " on \(nodes)"
        let doubt =
            result.isFenced
            ? "" : " (unfenced: nothing proves that the value is newer than the last invalidation)"
        return "stored at \(ClusterPosition(result.position, of: cluster))\(place)\(doubt)"
    }

    private static func queued(_ result: StoreResult) -> JSONDocument {
        .object([("queued", .bool(true)), ("node", .optional(result.node, JSONDocument.node))])
    }

    private func stored(_ result: StoreResult) -> JSONDocument {
        var members: [JSONDocument.Member] = [
            ("stored", .bool(true)), ("fenced", .bool(result.isFenced)),
        ]
        members += JSONDocument.place(result.position, of: cluster)
        members += [
            ("node", .optional(result.node, JSONDocument.node)),
            ("stored_on", .list(result.storedOn.map(JSONDocument.node))),
        ]
        return .object(members)
    }

    private var json: JSONDocument {
        switch outcome {
        case .success(let result) where result.isQueued: Self.queued(result)
        case .success(let result): stored(result)
        case .failure(let error):
            .object([
                ("stored", error.mayHaveHappened ? .null : .bool(false)), ("fenced", .null),
                ("position", .null), ("node", .null), ("stored_on", .list([])),
                ("error", .text(error.description)),
            ])
        }
    }
}

struct TouchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "touch",
        abstract: "Give keys a new time to live.",
        discussion: """
            Counted from now; nothing else changes. Ends with 1 if a key is not there.

              martlet touch session:9 --ttl 30m
            """)

    @Argument(help: "What to touch.", transform: ArgumentText.key)
    var keys: [CacheKey]

    @Option(
        help: .value("duration", "How long they live from now, or none."),
        transform: ArgumentText.lifetime)
    var ttl: StoreOptions.Lifetime

    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    func run() async throws {
        let found = try await cluster.withClient { client in
            try await client.touch(keys, lifetime: ttl, in: room.room)
        }
        let report = TouchReport(lines: zip(keys, found).map { ($0, $1) })
        try cluster.finish(report.output(cluster.style), confirms: true)
    }
}

struct TouchReport {
    var lines: [(key: CacheKey, isTouched: Bool)]

    func output(_ style: OutputStyle) -> CommandOutput {
        var output = CommandOutput()
        for (key, isTouched) in lines {
            let shown = HarmlessText.line(key.bytes)
            if style == .json {
                let members = JSONDocument.members("key", key.bytes)
                output.writeLine(.object(members + [("touched", .bool(isTouched))]))
            } else if isTouched {
                output.writeLine("touched \(shown)")
            }
            if !isTouched { output.complain("not found: \(shown)", .notFound) }
        }
        return output
    }
}
