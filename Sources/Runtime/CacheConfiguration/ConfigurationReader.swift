import CacheModel

/// Walks a whole file and makes a configuration of it.
struct ConfigurationReader {
    let problems: ProblemList
    var endpoints = EndpointRegister()
    var directories = DirectoryRegister()

    init(problems: ProblemList) {
        self.problems = problems
    }

    /// - Returns: a configuration to be thrown away if there are problems afterwards.
    mutating func read(_ root: MappingReader) -> ClusterConfiguration {
        root.refuseUnknown([
            "version", "topology", "publisher", "nodes", "defaults", "namespaces", "gateway",
        ])
        root.refuseOtherVersion()
        let topology: TopologyKind = root.choice("topology", default: .sharded)
        let publisher = readPublisher(root)
        let nodes = readNodes(root)
        let defaults = root.mapping("defaults").map { readDefaults($0) }
        var configuration = ClusterConfiguration(
            topology: topology, publisher: publisher, nodes: nodes,
            defaults: defaults ?? .standard,
            namespaces: readNamespaces(
                root, defaults: defaults ?? .standard,
                shardsMax: nodes.map(\.shards).max() ?? 1))
        configuration.gateway = readGateway(root)
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
    mutating func readHTTP(_ reader: MappingReader, _ name: String = "http") -> HTTPPlace? {
        let expected = "a place such as 127.0.0.1:9400"
        guard let text = reader.text(name, expected: expected) else { return nil }
        do throws(TextProblem) {
            let place = try HTTPPlace.parse(text)
            if place.port > 0, place.isLoopback {
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
            endpoints.claim(endpoint, path: path, place: place, problems)
            return endpoint
        } catch {
            problems.add(place, path, error.sentence)
            return nil
        }
    }
}

/// The setting that has each endpoint, so that two cannot have one.
struct EndpointRegister {
    private var owners: [EndpointText: String] = [:]

    /// Gives `endpoint` to the setting `path`, or adds a problem if another has it.
    mutating func claim(
        _ endpoint: EndpointText, path: String, place: SourcePlace, _ problems: ProblemList
    ) {
        guard let owner = owners.updateValue(path, forKey: endpoint) else { return }
        owners[endpoint] = owner
        problems.add(
            place, path, "\(endpoint) is taken by \(owner) already; give each its own port")
    }
}

/// The setting that has each directory, so that two cannot have one.
///
/// It knows how paths are written, not where links lead; a lock tells the rest at the start.
struct DirectoryRegister {
    private var owners: [String: String] = [:]

    /// Gives `directory` to the setting `path`, or adds a problem if another has it.
    mutating func claim(
        _ directory: String, path: String, place: SourcePlace, _ problems: ProblemList
    ) {
        let key = Self.normalised(directory)
        guard let owner = owners[key] else {
            owners[key] = path
            return
        }
        problems.add(
            place, path,
            "\(TextProblem.quote(directory)) is taken by \(owner) already; give each node its own")
    }

    /// `directory` without what makes no difference: doubled and closing slashes, and `.`.
    private static func normalised(_ directory: String) -> String {
        let steps = directory.split(separator: "/").filter { $0 != "." }
        return (directory.hasPrefix("/") ? "/" : "") + steps.joined(separator: "/")
    }
}
