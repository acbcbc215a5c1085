import CacheModel
import CacheWire
import Testing
import TestSupport

/// The golden values that are shared with the Python client, so that both route alike.
@Suite struct GoldenRoutesTests {
    private struct Golden: Decodable {
        struct Route: Decodable {
            var namespace: String
            var key: String
            var route: String
        }
        struct Node: Decodable {
            var id: String
            var shards: Int
            var weight: UInt32
        }
        struct Key: Decodable {
            var namespace: String
            var key: String
            var node: String
            var shard: UInt16
        }
        struct Owners: Decodable {
            var name: String
            var kind: String
            var nodes: [Node]
            var keys: [Key]
        }

        var routes: [Route]
        var owners: [Owners]
    }

    private static func load() throws -> Golden { try Repository.golden("hashes.json") }

    @Test func keysAreHashedAsThePageSays() throws {
        for golden in try Self.load().routes {
            let namespace = try #require(Namespace(golden.namespace))
            let hash = RouteHash(of: Hex.bytes(golden.key), in: namespace)
            #expect(String(hash.rawValue) == golden.route)
        }
    }

    @Test func keysFindTheOwnersThatThePageGivesThem() throws {
        for golden in try Self.load().owners {
            let report = TopologyReport(
                version: 1, kind: golden.kind == "sharded" ? .sharded : .replicated,
                controlEndpoint: "", liveEndpoint: "",
                nodes: try golden.nodes.map { node in
                    TopologyReport.Node(
                        id: try #require(NodeID(node.id)), state: .live,
                        weightThousandths: node.weight,
                        endpoints: Array(repeating: "", count: node.shards))
                })
            let topology = Topology(report)
            for key in golden.keys {
                let namespace = try #require(Namespace(key.namespace))
                let route = RouteHash(of: Hex.bytes(key.key), in: namespace)
                let node = try #require(NodeID(key.node))
                let index = try #require(topology.index(of: node))
                let number = try #require(
                    report.kind == .sharded
                        ? topology.owner(of: route) : topology.shard(of: route, on: index))
                #expect(
                    topology[number].node == node && topology[number].shard == key.shard,
                    "\(golden.name): \(key.key)")
            }
        }
    }
}
