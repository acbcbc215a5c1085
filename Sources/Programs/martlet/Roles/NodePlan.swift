import CacheConfiguration
import CacheModel
import CacheServer
import CommandSurface
import EssentialFoundation
import ZeroMQ

/// What a node is started with: flags first, then `MARTLET_…` variables, then the configuration.
struct NodePlan {
    var options: NodeServerOptions
    /// Where the configuration has it answer over HTTP.
    var http: HTTPPlace?
    /// Of how many operations the configuration has it log one.
    var sampleEvery: Int?

    init(_ command: NodeCommand, configuration: ClusterConfiguration?) throws {
        let environment = ProcessEnvironment.variables
        let id = try Self.id(command.name.id ?? environment["MARTLET_ID"], configuration)
        let settings = configuration?.nodes.first { $0.id == id }
        if configuration != nil && settings == nil && !command.name.join {
            throw CommandFailure(
                .unusableConfiguration,
                "node \(id) is not in the configuration: add it under nodes, or say --join")
        }
        if let configuration {
            try BuildFeature.httpClient.requireForOrigins(of: configuration)
        }
        let shards = command.shards ?? settings?.shards ?? max(1, command.bind.count)
        options = NodeServerOptions(
            node: id, endpoints: try Self.endpoints(command.bind, settings, shards: shards),
            publishers: try Self.publishers(
                command.publisher, live: command.live, environment, configuration),
            memoryBytes: try Self.memory(
                command.memory ?? environment["MARTLET_MEMORY"], settings))
        options.entriesMax = try Self.entriesMax(
            command.entriesMax, environment["MARTLET_ENTRIES_MAX"], settings, shards: shards)
        if let configuration { try Self.checkBounds(configuration, shards: shards) }
        options.evictionPolicy = command.eviction ?? settings?.eviction ?? .adaptive
        options.memoryPressure = try Self.memoryPressure(
            command.memoryPressure, environment["MARTLET_MEMORY_PRESSURE"], settings)
        http = settings?.http
        sampleEvery = settings?.sampleEvery
        let spin = command.spin.map { GivenText(text: $0, source: "--spin") }
        options.spin =
            try spin?.parsed { try DurationText.parse($0, in: ConfigurationLimits.spin) }
            ?? settings?.spin ?? .zero
        options.ioThreadCount = try Self.ioThreads(
            command.ioThreads, environment["MARTLET_IO_THREADS"], settings)
        options.warmUp = settings?.warmUp ?? options.warmUp
        options.secrets.environment = environment
        if let directory = try Self.directory(
            command.secretsDirectory, "--secrets-directory", environment)
        {
            options.secrets.directory = directory
        }
        options.readyNeedsOrigins = command.readyNeedsOrigins
        options.plantedBug = try Self.plantedBug(environment, node: id)
        options.disk = try command.disk.settings(settings?.disk, shards: shards)
        options.queueDirectory =
            try Self.directory(command.queueDirectory, "--queue-directory", environment)
            ?? settings?.queueDirectory
        guard command.advertise.isEmpty || command.advertise.count == shards else {
            throw CommandFailure(
                .wrongUsage, "--advertise is given once for each of the \(shards) shards")
        }
        options.advertised = command.advertise
        options.joinWeight = try command.name.joinWeight(settings, memory: options.memoryBytes)
    }

    /// What a test wants the node to do wrong; nothing reads it in a release.
    private static func plantedBug(
        _ environment: [String: String], node: NodeID
    ) throws -> PlantedBug {
        #if CACHE_CHECKED
            guard let text = environment["MARTLET_PLANTED_BUG"] else { return .none }
            guard let bug = PlantedBug(text, of: node) else {
                throw CommandFailure(
                    .wrongUsage,
                    "MARTLET_PLANTED_BUG is ignore-invalidations:COUNT or "
                        + "ignore-invalidations:COUNT:NODE")
            }
            return bug
        #else
            return .none
        #endif
    }

    private static func id(
        _ text: String?, _ configuration: ClusterConfiguration?
    ) throws -> NodeID {
        guard let text else {
            throw CommandFailure(
                .wrongUsage, "--id is missing: which node of the configuration is this?")
        }
        guard let id = NodeID(text) else {
            throw CommandFailure(
                .wrongUsage, "--id has 1 to 64 of the characters a-z A-Z 0-9 . _ -")
        }
        return id
    }

    static func endpoint(_ text: String, for use: Endpoint.Use = .connecting) throws -> Endpoint {
        try CommandFailure.wrapping { try Endpoint(text, for: use) }
    }

    /// All publishers: those of the flags, else of the variable, else of the configuration.
    static func publishers(
        _ flags: [String], live: String?, _ environment: [String: String],
        _ configuration: ClusterConfiguration?
    ) throws -> [PublisherPlace] {
        let listed = environment["MARTLET_PUBLISHER"].map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map { String($0.trimmed()) }
        }
        let known = configuration?.publisherAddresses ?? []
        let (texts, source) =
            if !flags.isEmpty {
                (flags, "--publisher")
            } else if let listed {
                (listed, "MARTLET_PUBLISHER")
            } else {
                (known.map(\.control), "the configuration")
            }
        let liveText = live ?? environment["MARTLET_LIVE"]
        if texts.count > 1 {
            guard liveText == nil else {
                throw CommandFailure(
                    .wrongUsage,
                    "\(live == nil ? "MARTLET_LIVE" : "--live") is for one publisher: leave it "
                        + "out, because each of several names its live endpoint")
            }
            return try several(texts, source: source)
        }
        let control = try endpoint(
            texts.first ?? PublisherSettings.standard.endpoint)
        let place = PublisherPlace(
            control: control,
            live: try Self.live(
                liveText ?? known.first?.live, control: control))
        return [place]
    }

    private static func several(_ texts: [String], source: String) throws -> [PublisherPlace] {
        let most = NodeServerOptions.publishersMax
        guard texts.count <= most else {
            throw CommandFailure(
                .wrongUsage,
                "\(source) names \(texts.count) publishers, at most \(most) are possible")
        }
        let places = try texts.map { PublisherPlace(control: try endpoint($0)) }
        for (index, place) in places.enumerated() where places[..<index].contains(place) {
            throw CommandFailure(.wrongUsage, "\(source) names \(place.control) twice")
        }
        return places
    }

    private static func live(_ text: String?, control: Endpoint) throws -> Endpoint {
        if let text { return try endpoint(text) }
        guard let port = control.port, port < .max, let next = control.withPort(port + 1) else {
            throw CommandFailure(
                .wrongUsage, "--live is missing: it cannot be derived from \(control)")
        }
        return next
    }

    private static func endpoints(
        _ bind: [String], _ settings: NodeSettings?, shards: Int
    ) throws -> [Endpoint] {
        guard (1...64).contains(shards) else {
            throw CommandFailure(.wrongUsage, "--shards is 1 to 64")
        }
        let texts =
            bind.isEmpty
            ? settings?.shardEndpoints ?? Array(repeating: "tcp://127.0.0.1:*", count: shards)
            : bind
        guard texts.count == shards else {
            throw CommandFailure(
                .wrongUsage,
                "--bind is given once for each shard: \(texts.count) for \(shards) shards")
        }
        return try texts.map { try endpoint($0, for: .binding) }
    }

    private static func memoryPressure(
        _ flag: MemoryPressureResponse?, _ variable: String?, _ settings: NodeSettings?
    ) throws -> MemoryPressureResponse {
        if let flag { return flag }
        guard let variable else { return settings?.memoryPressure ?? .react }
        guard let response = MemoryPressureResponse(rawValue: variable) else {
            throw CommandFailure(
                .wrongUsage, "MARTLET_MEMORY_PRESSURE is react or ignore, not \"\(variable)\"")
        }
        return response
    }

    /// - Throws: an error that names its source, a flag or a variable.
    static func ioThreads(
        _ flag: Int?, _ variable: String?, _ settings: NodeSettings?
    ) throws -> Int {
        guard flag != nil || variable != nil else { return settings?.ioThreads ?? 1 }
        let range = ConfigurationLimits.ioThreads
        guard let count = flag ?? variable.flatMap({ Int($0) }), range.contains(count) else {
            let source = flag == nil ? "MARTLET_IO_THREADS" : "--io-threads"
            throw CommandFailure(
                .wrongUsage, "\(source) is \(range.lowerBound) to \(range.upperBound)")
        }
        return count
    }

    private static func directory(
        _ flag: String?, _ name: String, _ environment: [String: String]
    ) throws -> String? {
        try GivenText(flag, name, environment)?.parsed(by: DirectoryText.parse)
    }

    /// - Throws: an error that names its source, a flag or a variable.
    static func entriesMax(
        _ flag: String?, _ variable: String?, _ settings: NodeSettings?, shards: Int
    ) throws -> Int? {
        guard let text = flag ?? variable else {
            if let count = settings?.entriesMax {
                try requireOneEach(count, "the node", shards: shards)
            }
            return settings?.entriesMax
        }
        let source = flag == nil ? "MARTLET_ENTRIES_MAX" : "--entries-max"
        return try GivenText(text: text, source: source)
            .parsed { try EntriesMaxText.parse($0, shards: shards) }
    }

    /// A flag may have given it more shards than the configuration, which was checked for those.
    static func checkBounds(_ configuration: ClusterConfiguration, shards: Int) throws {
        for (namespace, policy) in configuration.namespaces {
            guard let count = policy.memory.entriesMax else { continue }
            try requireOneEach(count, "namespace \(namespace)", shards: shards)
        }
    }

    private static func requireOneEach(_ count: Int, _ owner: String, shards: Int) throws {
        guard count < shards else { return }
        throw CommandFailure(
            .wrongUsage,
            "entries-max of \(owner) is \(count) in the configuration, less than one for each of "
                + "\(shards) shards: raise it, or start fewer shards")
    }

    private static func memory(_ text: String?, _ settings: NodeSettings?) throws -> Int {
        guard let text else { return settings?.memory ?? 256 << 20 }
        return try GivenText(text: text, source: "--memory").parsed { try ByteSizeText.parse($0) }
    }
}
