import ArgumentParser
import CacheModel
import CacheWire
import CommandSurface
import MartletClient

/// `martlet set KEY VALUE|-`
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
        help: ArgumentHelp(
            "How long it lives, or none. (default: as the namespace says)", valueName: "duration"),
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
        help: ArgumentHelp(
            "What kind of thing it is, as image/png. Kept with it.", valueName: "type"),
        transform: ArgumentText.representationField)
    var contentType: RepresentationField?

    @Option(
        help: ArgumentHelp(
            "The coding that the bytes are in, as gzip. Kept with it.", valueName: "coding"),
        transform: ArgumentText.representationField)
    var contentEncoding: RepresentationField?

    @Option(
        help: ArgumentHelp("Its language, as en. Kept with it.", valueName: "language"),
        transform: ArgumentText.representationField)
    var contentLanguage: RepresentationField?

    @OptionGroup var room: NamespaceOption
    @OptionGroup var cluster: ClusterOptions

    func validate() throws {
        if tags.count > Tag.perEntryMax {
            throw ValidationError(
                "an entry has at most \(Tag.perEntryMax) tags, not \(tags.count)")
        }
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
