import CacheModel
import Foundation
import MartletClient

/// What the ready file says: who listens where, as which process.
struct ReadyReport: Codable, Sendable {
    struct Publisher: Codable, Sendable {
        var endpoint: String
        var pid: Int32
    }
    struct Node: Codable, Sendable {
        var id: String
        var endpoints: [String]
        var pid: Int32
    }
    struct Gateway: Codable, Sendable {
        var url: String
        var pid: Int32
    }

    var publisher: Publisher
    var nodes: [Node]
    /// Not in the file if there is none.
    var gateway: Gateway?

    init(_ topology: ClusterTopology, _ gateway: UpGateway?, processIDs: [String: Int32]) {
        publisher = Publisher(
            endpoint: topology.controlEndpoint, pid: processIDs["publisher"] ?? 0)
        nodes = topology.nodes.map {
            Node(id: $0.id.name, endpoints: $0.endpoints, pid: processIDs[$0.id.name] ?? 0)
        }
        self.gateway = gateway.map {
            Gateway(url: $0.url, pid: processIDs[UpGateway.name] ?? 0)
        }
    }

    /// Writes the file in one step: whoever sees it sees all of it.
    func write(to file: ReplacedFile) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try file.write(encoder.encode(self))
    }
}
