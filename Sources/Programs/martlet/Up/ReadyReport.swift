import CacheConfiguration
import CacheModel
import MartletClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The contents of the ready file: each role, its endpoints and its process id.
struct ReadyReport: Codable, Sendable {
    struct Publisher: Codable, Sendable {
        var endpoint: String
        var pid: Int32
        /// Where it answers monitoring systems; left out where it does not.
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

    var publisher: Publisher
    var nodes: [Node]
    /// Not in the file if there is none.
    var gateway: Gateway?

    init(
        _ topology: ClusterTopology, _ configuration: ClusterConfiguration,
        _ gateway: UpGateway?, processIDs: [String: Int32]
    ) {
        publisher = Publisher(
            endpoint: topology.controlEndpoint, pid: processIDs["publisher"] ?? 0,
            http: Self.url(configuration.publisher.http))
        nodes = topology.nodes.map { node in
            let settings = configuration.nodes.first { $0.id == node.id }
            return Node(
                id: node.id.name, endpoints: node.endpoints, pid: processIDs[node.id.name] ?? 0,
                http: Self.url(settings?.http))
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
