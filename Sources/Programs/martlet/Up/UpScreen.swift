import CacheConfiguration
import CacheModel
import CommandSurface
import MartletClient
import Telemetry
import EssentialFoundation
import LibC

/// What `up` shows a person.
enum UpScreen {
    static func show(
        _ report: ReadyReport, _ configuration: ClusterConfiguration, logs: String,
        _ keys: UpKeys?
    ) {
        var table = Table([.left("ROLE"), .left("PID"), .left("ENDPOINTS")])
        func add(_ role: String, _ process: Int32, _ endpoints: String) {
            table.add([.init(role), .init("\(process)"), .init(endpoints)])
        }
        for member in report.etcd ?? [] { add(member.id, member.pid, member.endpoint) }
        if let publishers = report.publishers {
            for publisher in publishers {
                let isLeader = publisher.endpoint == report.publisher.endpoint
                add(
                    "publisher \(publisher.id)\(isLeader ? ", leads" : "")", publisher.pid,
                    place(publisher.endpoint))
            }
        } else {
            add("publisher", report.publisher.pid, place(report.publisher.endpoint))
        }
        for node in report.nodes {
            let endpoints = node.endpoints.map(place).joined(separator: " ")
            add("node \(node.id)", node.pid, endpoints)
        }
        if let gateway = report.gateway { add(UpGateway.name, gateway.pid, gateway.url) }
        // Of several publishers one may be ended: a node knows all of them.
        let endpoint =
            report.publishers == nil
            ? report.publisher.endpoint
            : report.nodes.first?.endpoints.first ?? report.publisher.endpoint
        let cluster = "--cluster \(endpoint)"
        let isDefault = endpoint == "tcp://127.0.0.1:7400"
        let suffix = isDefault || keys != nil ? "" : " \(cluster)"
        let access = keys.map { self.access($0, report.publisher.endpoint) } ?? ""
        print(
            """
            \(table.text(isColoured: false))
            \(sentence(configuration.topology, report.nodes.count))
            Logs: \(logs)
            \(metrics(report))\(access)Try:  martlet set greeting hello --tag words\(suffix)
                  martlet invalidate tag words\(suffix)
            \(failover(report, suffix))\(move(report, configuration, suffix))Ctrl-C stops it.
            """)
        fflush(nil)
    }

    private static func failover(_ report: ReadyReport, _ suffix: String) -> String {
        // Of a leader that is not a child, the number would be that of this user's processes.
        guard report.publishers != nil, report.publisher.pid > 0 else { return "" }
        return """
            End the publisher that leads, and another one does, some 2.5 s later:
                  kill -9 \(report.publisher.pid); martlet invalidate tag words\(suffix)

            """
    }

    private static func sentence(_ kind: TopologyKind, _ count: Int) -> String {
        switch kind {
        case .sharded, .replicated: "A \(kind.rawValue) cluster of \(count) nodes is live."
        case .slots: "A cluster of \(count) nodes with slots is live."
        }
    }

    private static func move(
        _ report: ReadyReport, _ configuration: ClusterConfiguration, _ suffix: String
    ) -> String {
        // Of two nodes none fails over by itself.
        guard configuration.topology == .slots, report.nodes.count > 2, let last = report.nodes.last
        else {
            return ""
        }
        let pause = configuration.publisher.failoverAfter
        let look = "sleep \(pause.components.seconds + 2); martlet status\(suffix)"
        return """
            End a node, and the others get its keys, some \(DurationText.format(pause)) later:
                  kill -9 \(last.pid); \(look)

            """
    }

    private static func metrics(_ report: ReadyReport) -> String {
        let publishers = report.publishers?.map(\.http) ?? [report.publisher.http]
        let places = (publishers + report.nodes.map(\.http)).compactMap(\.self)
        var said = places.prefix(1).map { "\($0)/metrics" }
        let first = report.nodes.first?.http
        if let first, let own = places.first, port(first) > port(own) {
            if publishers.count > 1 { said.append("of the others at the ports before it") }
            said.append("of the nodes from \(first)/metrics on")
        } else if places.count > 1 {
            let others = report.publishers == nil ? "each node" : "the others"
            said.append("of \(others) at the ports before it")
        }
        if let http = report.gateway?.http { said.append("of the gateway at \(http)/metrics") }
        return said.isEmpty ? "" : "Metrics: \(said.joined(separator: ", "))\n"
    }

    /// Of `http://127.0.0.1:7462`; 0: it has none.
    private static func port(_ http: String) -> Int {
        http.split(separator: ":").last.flatMap { Int($0) } ?? 0
    }

    private static func access(_ keys: UpKeys, _ endpoint: String) -> String {
        """
        Only keys in \(keys.listFile.path) are admitted. As an operator:
              export MARTLET_CLUSTER='\(endpoint)'
              export MARTLET_KEY='\(keys.file(of: UpKeys.adminName))'
        A program takes \(keys.file(of: UpKeys.programName)).

        """
    }

    /// An endpoint without its key, which is the same for all of a process.
    private static func place(_ endpoint: String) -> String {
        String(endpoint.prefix { $0 != "?" })
    }

    static func say(_ line: String) {
        StandardError.write("martlet up: \(line)\n")
    }
}

/// The contents of the ready file: each role, its endpoints and its process id.
struct ReadyReport: Codable, Sendable {
    struct Publisher: Codable, Sendable {
        var endpoint: String
        var pid: Int32
        /// Where it answers monitoring systems; left out where it does not.
        var http: String?
    }
    /// One of several publishers, or a member of etcd.
    struct Member: Codable, Sendable {
        var id: String
        var endpoint: String
        var pid: Int32
        var http: String?
    }
    struct Node: Codable, Sendable {
        var id: String
        var endpoints: [String]
        var pid: Int32
        var http: String?
    }
    struct Gateway: Codable, Sendable {
        var url: String
        var pid: Int32
        var http: String?
    }

    /// Of several the one that leads when all are live.
    var publisher: Publisher
    /// Not in the file if there is one.
    var publishers: [Member]?
    /// Not in the file if no member of etcd was started.
    var etcd: [Member]?
    var nodes: [Node]
    /// Not in the file if there is none.
    var gateway: Gateway?

    init(_ topology: ClusterTopology, _ plan: UpPlan, processIDs: [String: Int32]) {
        let (configuration, gateway) = (plan.configuration, plan.gateway)
        publisher = Publisher(
            endpoint: topology.controlEndpoint, pid: processIDs["publisher"] ?? 0,
            http: Self.url(configuration.publisher.http))
        if !configuration.publishers.isEmpty {
            let all = configuration.publishers.map {
                Member(
                    id: $0.id.name, endpoint: $0.endpoint, pid: processIDs[$0.id.name] ?? 0,
                    http: Self.url($0.http))
            }
            publishers = all
            let leader = all.first { $0.endpoint == topology.controlEndpoint }
            (publisher.pid, publisher.http) = (leader?.pid ?? 0, leader?.http)
        }
        etcd = plan.etcd?.members.map {
            Member(id: $0.name, endpoint: $0.client, pid: processIDs[$0.name] ?? 0)
        }
        // Others have joined, and are no children of this process.
        nodes = topology.nodes.compactMap { node in
            guard let settings = configuration.nodes.first(where: { $0.id == node.id }) else {
                return nil
            }
            return Node(
                id: node.id.name, endpoints: node.endpoints, pid: processIDs[node.id.name] ?? 0,
                http: Self.url(settings.http))
        }
        self.gateway = gateway.map {
            Gateway(
                url: $0.url, pid: processIDs[UpGateway.name] ?? 0, http: Self.url($0.http))
        }
    }

    /// `nil` also for a port of 0: the port that the system has chosen is unknown here.
    private static func url(_ place: HTTPPlace?) -> String? {
        place.flatMap { $0.port > 0 ? "http://\($0)" : nil }
    }

    /// Writes the file in one step: a reader sees all of it.
    func write(to file: ReplacedFile) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try file.write(encoder.encode(self))
    }
}
