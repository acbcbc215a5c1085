import CacheModel

/// What changes between the configuration in force and another one, and whether a running publisher
/// can take it over. docs/decisions/0094 gives the reasons.
///
/// The effect of every key of the file is listed here and nowhere else.
package struct ConfigurationChange: Hashable, Sendable {
    /// One setting that differs.
    package struct Setting: Hashable, Sendable {
        /// Where it stands, a node by its name: `nodes.n1.shards`.
        package let key: String
        /// In force; `nil`: not set.
        package let old: String?
        /// In the file; `nil`: not set.
        package let new: String?
        package let effect: ConfigurationEffect
    }

    /// In the order of the file.
    package let settings: [Setting]

    package init(from running: ClusterConfiguration, to found: ClusterConfiguration) {
        let old = running.flatSettings
        let new = found.flatSettings
        let stayingNodes = Set(running.nodes.map(\.id)).intersection(found.nodes.map(\.id))
        let stayingPublishers = Set(running.publishers.map(\.id))
            .intersection(found.publishers.map(\.id))
        let oldValues = Dictionary(old.map { ($0.path, $0.value) }) { first, _ in first }
        let newValues = Dictionary(new.map { ($0.path, $0.value) }) { first, _ in first }
        let paths = new.map(\.path) + old.map(\.path).filter { newValues[$0] == nil }
        settings = paths.compactMap { path in
            guard oldValues[path] != newValues[path] else { return nil }
            // A node that comes or goes is a change of the list of nodes.
            if path.first == "nodes", path.count > 1,
                !stayingNodes.contains(where: { $0.name == path[1] })
            {
                return nil
            }
            // A publisher that comes or goes is one change, that of its name.
            if path.first == "publishers", path.count > 1, path.last != "id",
                !stayingPublishers.contains(where: { $0.name == path[1] })
            {
                return nil
            }
            return Setting(
                key: path.joined(separator: "."), old: oldValues[path], new: newValues[path],
                effect: path == ["topology"]
                    ? .ofTopology(from: running.topology) : ConfigurationEffect(of: path))
        }
    }

    /// Why a running publisher takes nothing of the file over; empty if it can.
    package var refusals: [String] {
        settings.compactMap { setting in
            guard case .refused(let remedy) = setting.effect else { return nil }
            return "\(setting.key): \(setting.old ?? "not set") → \(setting.new ?? "not set"): "
                + "this cannot change while the cluster runs; \(remedy)"
        }
    }

    /// What takes effect once another process is started again, a sentence for each process.
    package var deferrals: [String] {
        var keys: [(process: String, keys: [String])] = []
        for setting in settings {
            guard case .atStart(let process) = setting.effect else { continue }
            if let index = keys.firstIndex(where: { $0.process == process }) {
                keys[index].keys.append(setting.key)
            } else {
                keys.append((process, [setting.key]))
            }
        }
        return keys.map {
            "\($0.keys.joined(separator: ", ")): takes effect when \($0.process) is started again"
        }
    }
}

/// When a changed setting takes effect.
package enum ConfigurationEffect: Hashable, Sendable {
    /// As soon as the file is taken over.
    case live
    /// Once this process, which reads it at its start, is started again.
    case atStart(of: String)
    /// Never while the cluster runs; what to do instead.
    case refused(remedy: String)

    /// - Parameter path: the names on the way to the setting, a node's in place of its number.
    package init(of path: [String]) {
        switch path.first {
        case "defaults", "namespaces", "membership": self = .live
        case "publisher" where path.last.map(Self.ofPublisherLive.contains) == true: self = .live
        case "publisher" where path.last == "prefix":
            self = .refused(remedy: Self.restartPublishersTogether)
        case "publisher" where path.count > 2 && path[1] == "etcd":
            self = .refused(remedy: Self.restartPublishers)
        case "publisher": self = .refused(remedy: Self.restartPublisher)
        case "publishers" where path.count > 2: self = Self.ofPublisher(path[1], path[2])
        case "publishers": self = .refused(remedy: Self.restartPublishers)
        case "gateway": self = .atStart(of: "a gateway")
        case "topology": self = .refused(remedy: Self.restartAll)
        case "nodes" where path.count > 2: self = Self.ofNode(path[1], path[2])
        default: self = .refused(remedy: Self.restartPublisher)
        }
    }

    /// - Parameter old: in force.
    fileprivate static func ofTopology(from old: TopologyKind) -> ConfigurationEffect {
        guard old == .slots else { return .refused(remedy: restartAll) }
        return .refused(
            remedy: "put the old value back: the log assigns the keys, and only a new log does not")
    }

    private static let ofPublisherLive: Set = ["lease", "heartbeat", "failover-after"]

    private static func ofNode(_ node: String, _ key: String) -> ConfigurationEffect {
        switch key {
        case "id", "weight": .live
        case "shards":
            .refused(
                remedy: "take \(node) out of the file, save it, stop the node, and add it again "
                    + "with its new number of shards")
        default: .atStart(of: "node \(node)")
        }
    }

    private static func ofPublisher(_ publisher: String, _ key: String) -> ConfigurationEffect {
        switch key {
        case "http", "state-directory": .atStart(of: "publisher \(publisher)")
        default: .refused(remedy: restartPublishers)
        }
    }

    private static let restartPublishers =
        "put the old value back, or start each publisher again with the new file, one after the "
        + "other"
    private static let restartPublishersTogether =
        "put the old value back, or stop all publishers, and then start them with the new file; "
        + "that is another log, and every node hides what it holds"
    private static let restartPublisher =
        "put the old value back, or start the publisher again with the new file"
    private static let restartAll =
        "put the old value back, or stop all nodes, start the publisher again with the new file, "
        + "and then the nodes; what is stored is hidden then. From sharded to slots, the nodes "
        + "need not be stopped"
}

extension ClusterConfiguration {
    /// Every setting with its value, in the order of the full text.
    fileprivate var flatSettings: [(path: [String], value: String)] {
        var settings: [(path: [String], value: String)] = []
        do throws(YAMLFault) {
            if let root = try YAMLTreeReader.root(of: yamlText()) {
                root.flatten(below: [], into: &settings)
            }
        } catch {
            preconditionFailure("the full text of a configuration is YAML: \(error)")
        }
        return settings
    }
}

extension YAMLNode {
    fileprivate func flatten(
        below path: [String], into settings: inout [(path: [String], value: String)]
    ) {
        switch content {
        case .scalar(let scalar): settings.append((path, scalar.text))
        case .mapping(let pairs):
            for pair in pairs { pair.value.flatten(below: path + [pair.key.text], into: &settings) }
        case .sequence(let values) where path == ["nodes"] || path == ["publishers"]:
            for value in values {
                value.flatten(below: path + [value.text(of: "id")], into: &settings)
            }
        case .sequence(let values):
            settings.append((path, "[\(values.map(\.text).joined(separator: ", "))]"))
        }
    }

    private var text: String {
        switch content {
        case .scalar(let scalar): scalar.text
        case .sequence(let values): "[\(values.map(\.text).joined(separator: ", "))]"
        case .mapping(let pairs):
            "{\(pairs.map { "\($0.key.text): \($0.value.text)" }.joined(separator: ", "))}"
        }
    }

    private func text(of name: String) -> String {
        guard case .mapping(let pairs) = content else { return "" }
        return pairs.first { $0.key.text == name }?.value.text ?? ""
    }
}
