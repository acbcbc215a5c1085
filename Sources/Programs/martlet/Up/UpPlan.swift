import CacheConfiguration
import CacheModel
import CommandSurface
import EssentialFoundation
import Logging

/// What `up` starts: the configuration, where it lies, and what to do about a child that dies.
struct UpPlan: Sendable {
    var configuration: ClusterConfiguration
    var directory: URL
    /// Whether the directory goes away at the end.
    var isTemporary: Bool
    var configurationFile: URL
    var respawnAfter: Duration?
    var readyFile: ReplacedFile?
    /// `nil`: no client is asked for a key.
    var keys: UpKeys?
    /// `nil`: there is none.
    var gateway: UpGateway?
    /// `nil`: none is started.
    var etcd: UpEtcd?
    /// What its processes are told of lines about operations.
    var logVariables: [String: String]
    /// What its processes have of this one's environment.
    var environment: [String: String]

    static var quietLogger: Logger {
        var logger = Logger(label: "up") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .critical
        return logger
    }

    init(_ command: UpCommand) throws {
        respawnAfter = try command.respawn.map { try Self.duration($0, of: "--respawn") }
        readyFile = try command.readyFile.map { try ReplacedFile($0, flag: "--ready-file") }
        logVariables = command.logs.variables
        let surroundings = ProcessEnvironment.variables
        try UpEnvironment.check(surroundings)
        environment = UpEnvironment.passedOn(
            surroundings, isFromFlags: command.config == nil,
            hasLog: command.dir != nil || command.publishers > 1 || command.topology == .slots)
        isTemporary = command.dir == nil
        directory =
            command.dir.map { URL(fileURLWithPath: $0, isDirectory: true) }
            ?? FileManager.default.temporaryDirectory
            .appendingPathComponent("martlet-\(UUID().uuidString.lowercased())")
        configuration = try Self.configuration(command, in: directory)
        try Self.requireFeatures(for: command, configuration)
        configurationFile = directory.appendingPathComponent("cluster.yaml")
        if command.config == nil, !isTemporary {
            try UpEtcd.checkLog(in: directory, isOnEtcd: command.publishers > 1)
        }
        if command.config == nil, command.publishers > 1 {
            _ = try UpEtcd.path()
            etcd = UpEtcd(in: directory, port: command.port)
        } else if command.config == nil, !isTemporary || command.topology == .slots {
            configuration.publisher.log = .directory(
                directory.appendingPathComponent("log").path)
        }
        let revision = configuration.revision
        let isEdited = try takeEditedFile(command)
        try Self.checkKeys(command)
        let hasGateway = command.gateway || configuration.gateway != nil
        gateway = hasGateway ? try UpGateway(for: configuration, command) : nil
        guard hasGateway || command.nearCache == nil && command.nearCacheAge == nil else {
            throw CommandFailure(
                .wrongUsage, "--near-cache is the gateway's: say --gateway too")
        }
        try command.logs.check(
            isSampling: configuration.nodes.contains { $0.sampleEvery != nil })
        try PortCheck.ensureFree(
            configuration, beside: (gateway?.endpoints ?? []) + (etcd?.endpoints ?? []))
        try CommandFailure.wrapping({
            "\(directory.path) cannot be written: \(SystemReason.text($0)); choose another --dir"
        }) {
            // A temporary one is ours alone: where all users may write, another could have made one
            // of that name, to be given the keys.
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: !isTemporary,
                attributes: isTemporary || command.secure ? [.posixPermissions: 0o700] : nil)
            if command.secure { try makeKeys(command, isEdited: isEdited) }
            try etcd?.prepare()
            if let config = command.config {
                configurationFile = URL(fileURLWithPath: config)
            } else if !isEdited {
                let file = UpConfigurationFile(in: directory)
                try file.write(configuration, revision: revision)
            }
        }
    }

    private static func checkKeys(_ command: UpCommand) throws(CommandFailure) {
        guard !command.secure || command.publishers == 1 else {
            throw CommandFailure(
                .wrongUsage,
                "--secure and --publishers do not go together: every user of this machine could "
                    + "write the log into the etcd that up starts; docs/failover.md has an etcd "
                    + "that asks for certificates")
        }
        guard !command.secure || command.config == nil else {
            throw CommandFailure(
                .wrongUsage,
                "--secure makes a configuration of its own: with --config, write the publisher's "
                    + "key behind publisher.endpoint there, and start each role with --key and "
                    + "--allow-list")
        }
    }

    /// Runs the file that was edited in the directory, if there is one and the flags are those that
    /// it was written for.
    ///
    /// - Returns: whether there is.
    private mutating func takeEditedFile(_ command: UpCommand) throws -> Bool {
        guard command.config == nil, !isTemporary,
            case .keep(let edited) = try UpConfigurationFile(in: directory).plan(for: configuration)
        else { return false }
        configuration = edited
        try Self.requireFeatures(for: command, configuration)
        UpScreen.say("\(configurationFile.path) was edited and is run as it is")
        return true
    }

    private mutating func makeKeys(_ command: UpCommand, isEdited: Bool) throws {
        let children = ["publisher", "gateway"] + configuration.nodes.map(\.id.name)
        try UpDirectory.check(directory, names: children)
        let keys = try UpKeys(
            in: directory, nodes: configuration.nodes.map(\.id), hasGateway: command.gateway)
        self.keys = keys
        let suffix = "?key=\(keys.publisherKey)"
        guard isEdited else {
            configuration.publisher.endpoint += suffix
            return
        }
        guard configuration.publisher.endpoint.hasSuffix(suffix) else {
            throw CommandFailure(
                .unusableConfiguration,
                "\(configurationFile.path) was edited, and its publisher.endpoint does not end "
                    + "with \(suffix): add that, or move the file away")
        }
    }

    private static func requireFeatures(
        for command: UpCommand, _ configuration: ClusterConfiguration
    ) throws(CommandFailure) {
        if command.origin != nil { try BuildFeature.httpClient.require(for: "--origin") }
        try BuildFeature.httpClient.requireForOrigins(of: configuration)
        if !configuration.publishers.isEmpty {
            try BuildFeature.httpClient.require(for: "a log on etcd")
        }
        if command.gateway { try BuildFeature.gateway.require(for: "--gateway") }
        guard configuration.gateway != nil else { return }
        try BuildFeature.gateway.require(
            for: "gateway in the configuration", .unusableConfiguration)
    }

    /// What `command` says, with disk tiers in `directory`.
    static func configuration(
        _ command: UpCommand, in directory: URL,
        environment: [String: String] = ProcessEnvironment.variables
    ) throws -> ClusterConfiguration {
        if let config = command.config { return try ConfigurationFile.read(config) }
        let ports = try UpPorts(command)
        var configuration = ClusterConfiguration.standard(
            nodeCount: command.nodes, shardCount: command.shards, topology: command.topology,
            port: command.port)
        // To try it, without a file to edit.
        if command.topology == .slots { configuration.membership = .open }
        addPublishers(command, at: ports, in: directory, to: &configuration)
        ports.assign(to: &configuration)
        func given(_ flag: String?, _ variable: String, source: String) -> GivenText {
            GivenText(text: flag ?? environment.text(of: variable) ?? "none", source: source)
        }
        let disk = try given(command.disk, UpEnvironment.diskVariable, source: "--disk")
            .parsed { try DiskSizeText.parse($0, shards: command.shards) }
        let entriesMax = try given(
            command.entriesMax, UpEnvironment.entriesVariable, source: "--entries-max"
        ).parsed { try EntriesMaxText.parse($0, shards: command.shards) }
        let spin = try duration(command.spin, of: "--spin")
        if let origin = command.origin {
            var policy = NamespacePolicy.standard
            policy.origin = OriginPolicy(url: origin)
            policy.suspect = .serveThenRevalidate
            configuration.namespaces[.default] = policy
        }
        do {
            let memory = try ByteSizeText.parse(
                command.memory ?? environment.text(of: UpEnvironment.memoryVariable) ?? "256MiB")
            for index in configuration.nodes.indices {
                let node = directory.appendingPathComponent(configuration.nodes[index].id.name)
                configuration.nodes[index].disk = disk.map {
                    DiskSettings(directory: node.path, bytes: $0)
                }
                configuration.nodes[index].memory = memory
                configuration.nodes[index].entriesMax = entriesMax
                configuration.nodes[index].eviction = command.eviction
                configuration.nodes[index].spin = spin
            }
            // Written and read again, so that every limit of the file holds for flags too.
            return try ClusterConfiguration.parse(
                configuration.yamlText(), fileName: "the configuration made of the flags")
        } catch {
            throw CommandFailure(.wrongUsage, "\(error)")
        }
    }

    /// Has several publishers instead of the one, and their log on etcd.
    private static func addPublishers(
        _ command: UpCommand, at ports: UpPorts, in directory: URL,
        to configuration: inout ClusterConfiguration
    ) {
        guard command.publishers > 1 else { return }
        configuration.publishers = (0..<command.publishers).compactMap { index in
            guard let id = NodeID("p\(index + 1)") else { return nil }
            return PublisherMember(
                id: id, endpoint: "tcp://127.0.0.1:\(ports.publisher(index))",
                stateDirectory: directory.appendingPathComponent(id.name).path)
        }
        let etcd = UpEtcd(in: directory, port: command.port)
        configuration.publisher.log = .etcd(EtcdSettings(endpoints: etcd.members.map(\.client)))
        configuration.publisher.retentionBytesMax = PublisherSettings.retentionBytesOnEtcd
    }

    /// The processes to start, in this order.
    var children: [UpChild] {
        let publishers: [UpChild] =
            configuration.publishers.isEmpty
            ? [.publisher(nil)] : configuration.publishers.map { .publisher($0.id.name) }
        return (etcd?.members ?? []).map { .member($0) } + publishers
            + configuration.nodes.map { .node($0.id.name) } + (gateway == nil ? [] : [.gateway])
    }

    /// What `child` runs.
    func part(_ child: UpChild) throws -> ChildPart {
        var arguments: [String]
        switch child {
        case .member(let member):
            return .other(path: try UpEtcd.path(), etcd?.arguments(of: member) ?? [])
        case .publisher(let id): arguments = ["publisher"] + (id.map { ["--id", $0] } ?? [])
        case .node(let id): arguments = ["node", "--id", id]
        case .gateway:
            let endpoints = configuration.publisherAddresses.map(\.control)
            arguments =
                ["gateway", "--cluster", endpoints.joined(separator: ",")]
                + (gateway?.arguments ?? [])
        }
        arguments += ["--config", configurationFile.path]
        if let keys { arguments += keys.arguments(of: child.name) }
        return .role(arguments)
    }

    private static func duration(_ text: String, of flag: String) throws -> Duration {
        try GivenText(text: text, source: flag).parsed { try DurationText.parse($0) }
    }
}
