import CacheModel

/// Walks a whole file and makes a configuration of it.
struct ConfigurationReader {
    let problems: ProblemList
    var endpoints = ClaimRegistry<EndpointText>()
    var directories = ClaimRegistry<String>()

    init(problems: ProblemList) {
        self.problems = problems
    }

    /// - Returns: a configuration to be thrown away if there are problems afterwards.
    mutating func read(_ root: MappingReader) -> ClusterConfiguration {
        root.refuseUnknown([
            "version", "topology", "membership", "publisher", "publishers", "nodes", "defaults",
            "namespaces", "gateway",
        ])
        root.refuseOtherVersion()
        let topology: TopologyKind = root.choice("topology", default: .sharded)
        let publisher = readPublisher(root, topology)
        let publishers = readPublishers(root, publisher)
        let membership = SlotSettings.membership(root, topology)
        let nodes = readNodes(root, mayBeNone: membership == .open)
        let defaults = root.mapping("defaults").map { readDefaults($0) }
        var configuration = ClusterConfiguration(
            topology: topology, publisher: publisher, nodes: nodes,
            defaults: defaults ?? .standard,
            namespaces: readNamespaces(
                root, defaults: defaults ?? .standard,
                shardsMax: nodes.map(\.shards).max() ?? 1))
        configuration.membership = membership
        configuration.publishers = publishers
        configuration.gateway = readGateway(root)
        if topology == .slots { SlotSettings.check(configuration, root) }
        return configuration
    }

    /// The endpoint under `name`, which then belongs to it; `nil` if there is none.
    mutating func readEndpoint(_ name: String, _ reader: MappingReader) -> EndpointText? {
        let expected = "an endpoint such as tcp://127.0.0.1:7400"
        guard let text = reader.text(name, expected: expected) else { return nil }
        return claim(
            text, path: MappingReader.join(reader.path, name), place: reader.place(of: name))
    }

    /// The place under `name`, which then is no other's; `nil` if there is none. A port that the
    /// system chooses, and an address that stands for all, may be given to several: conflicts show
    /// when they start.
    ///
    /// - Parameter isElsewhere: whether the process runs on another machine than others of the
    ///   file: its loopback addresses are no conflict.
    mutating func readHTTP(
        _ reader: MappingReader, _ name: String = "http", isElsewhere: Bool = false
    ) -> HTTPPlace? {
        let expected = "a place such as 127.0.0.1:9400"
        guard let text = reader.text(name, expected: expected) else { return nil }
        do throws(TextProblem) {
            let place = try HTTPPlace.parse(text)
            if place.port > 0, place.isLoopback, !isElsewhere {
                _ = claim(
                    "tcp://\(place)", path: MappingReader.join(reader.path, name),
                    place: reader.place(of: name))
            }
            return place
        } catch {
            reader.add(name, error.sentence)
            return nil
        }
    }

    /// The endpoint that `text` says, which then belongs to `path`; `nil` if it says none.
    mutating func claim(_ text: String, path: String, place: SourcePlace) -> EndpointText? {
        do throws(TextProblem) {
            let endpoint = try EndpointText.parse(text)
            if let owner = endpoints.claim(endpoint, for: path) {
                problems.add(
                    place, path, "\(endpoint) is taken by \(owner) already; give each its own port")
            }
            return endpoint
        } catch {
            problems.add(place, path, error.sentence)
            return nil
        }
    }
}

/// The setting that has each endpoint, or each directory, so that two cannot have one.
struct ClaimRegistry<Value: Hashable> {
    private var owners: [Value: String] = [:]

    /// Gives `value` to the setting `path`.
    ///
    /// - Returns: the setting that has it already; `nil` if there was none.
    mutating func claim(_ value: Value, for path: String) -> String? {
        if let owner = owners[value] { return owner }
        owners[value] = path
        return nil
    }
}

extension ConfigurationReader {
    /// A node's disk tier; `nil` if it has none, or one that is wrong.
    mutating func readDisk(_ reader: MappingReader, _ node: NodeSettings) -> DiskSettings? {
        let reads: DiskReadMode = reader.choice("disk-reads", default: .ring)
        let directory = reader.directory(
            "disk-directory", expected: "a directory such as /var/lib/martlet/n1")
        let limit = reader.value(
            "disk-write-limit", "bytes a second such as 20MiB, or none", nil
        ) { text throws(TextProblem) in
            try ByteSizeText.parseOptional(text, in: ConfigurationLimits.diskWriteBytesPerSecond)
        }
        let leftFree = reader.value("disk-free", "a size such as 20GiB, or none", nil) {
            text throws(TextProblem) in
            try ByteSizeText.parseOptional(text, in: ConfigurationLimits.diskLeftFreeBytes)
        }
        guard reader.entry("disk") != nil else {
            let others = ["disk-directory", "disk-reads", "disk-write-limit", "disk-free"]
            for name in others where reader.entry(name) != nil {
                reader.add(
                    name,
                    "the node has no disk tier; give it one, for example \"disk: 10GiB\", or "
                        + "remove the line")
            }
            return nil
        }
        let size: Int? = reader.value("disk", "a size such as 10GiB, or none", nil) {
            text throws(TextProblem) in try DiskSizeText.parse(text, shards: node.shards)
        }
        guard let bytes = size else { return nil }
        guard let directory else {
            if reader.entry("disk-directory") == nil {
                reader.add(
                    "disk",
                    "the disk tier has no place; give one, for example "
                        + "\"disk-directory: /var/lib/martlet/\(node.id)\"")
            }
            return nil
        }
        claim(directory, "disk-directory", reader, of: "node")
        return DiskSettings(
            directory: directory, bytes: bytes, reads: reads, writeBytesPerSecond: limit,
            leftFreeBytes: leftFree)
    }

    /// Where a node queues writes; `nil` if nowhere.
    mutating func readQueueDirectory(_ reader: MappingReader) -> String? {
        let name = "queue-directory"
        let directory = reader.directory(
            name, expected: "a directory such as /var/lib/martlet/n1-queue")
        if let directory { claim(directory, name, reader, of: "node") }
        return directory
    }

    /// Claims a directory as it is written, without what makes no difference: doubled and closing
    /// slashes, and `.`. Where links lead is not known here; a lock tells the rest at the start.
    ///
    /// - Parameters:
    ///   - noun: what has it.
    ///   - machine: where it is, if that is known to be elsewhere.
    mutating func claim(
        _ directory: String, _ name: String, _ reader: MappingReader, of noun: String,
        on machine: String? = nil
    ) {
        let steps = directory.split(separator: "/").filter { $0 != "." }
        let start = machine.map { "\($0) " } ?? ""
        let key = start + (directory.hasPrefix("/") ? "/" : "") + steps.joined(separator: "/")
        let path = MappingReader.join(reader.path, name)
        guard let owner = directories.claim(key, for: path) else { return }
        reader.add(
            name,
            "\(TextProblem.quote(directory)) is taken by \(owner) already; give each \(noun) its "
                + "own"
        )
    }
}

extension ConfigurationReader {
    /// What gateways run with; `nil` if nothing is said of them.
    mutating func readGateway(_ root: MappingReader) -> GatewaySettings? {
        guard let reader = root.mapping("gateway") else { return nil }
        reader.refuseUnknown([
            "bind", "http", "tokens", "jwt-keys", "jwt-audience", "jwt-issuer", "allow-origin",
            "tls-certificate", "tls-key", "max-body", "max-connections", "idle",
        ])
        var settings = GatewaySettings()
        settings.bind = readHTTP(reader, "bind")
        settings.http = readHTTP(reader)
        settings.tokens = reader.directory("tokens", expected: "a file such as /etc/martlet/tokens")
        settings.jwtKeys = reader.directory(
            "jwt-keys", expected: "a file such as /etc/martlet/jwks.json")
        settings.jwtAudience = reader.text("jwt-audience", expected: "a name such as cache.example")
        settings.jwtIssuer = reader.text(
            "jwt-issuer", expected: "a name such as https://id.example")
        settings.allowedOrigins = readOrigins(reader)
        settings.tlsCertificate = reader.directory(
            "tls-certificate", expected: "a file such as /etc/martlet/chain.pem")
        settings.tlsKey = reader.directory(
            "tls-key", expected: "a file such as /etc/martlet/key.pem")
        if reader.entry("max-body") != nil {
            settings.bodyBytesMax = reader.byteSize(
                "max-body", default: ConfigurationLimits.gatewayBodyBytes.upperBound,
                in: ConfigurationLimits.gatewayBodyBytes)
        }
        if reader.entry("max-connections") != nil {
            settings.connectionsMax = reader.count(
                "max-connections", default: 1, in: ConfigurationLimits.gatewayConnections)
        }
        settings.idle = reader.optionalDuration(
            "idle", default: nil, in: ConfigurationLimits.gatewayIdle)
        refuseHalves(reader)
        return settings
    }

    /// What is nothing without the other.
    private func refuseHalves(_ reader: MappingReader) {
        for (name, other) in [
            ("jwt-keys", "jwt-audience"), ("jwt-audience", "jwt-keys"),
            ("jwt-issuer", "jwt-keys"), ("tls-certificate", "tls-key"),
            ("tls-key", "tls-certificate"),
        ] where reader.entry(name) != nil && reader.entry(other) == nil {
            reader.add(name, "\(name) is nothing without \(other); give both")
        }
    }

    private func readOrigins(_ reader: MappingReader) -> [String] {
        guard let entry = reader.entry("allow-origin") else { return [] }
        guard let list = entry.value.sequence else {
            reader.add(
                "allow-origin",
                "here must stand a list such as [https://app.example]; "
                    + "found \(entry.value.kindForPeople)")
            return []
        }
        return list.enumerated().compactMap { index, node in
            reader.text(
                node, path: "\(reader.path).allow-origin[\(index)]",
                expected: "an origin such as https://app.example")
        }
    }
}
