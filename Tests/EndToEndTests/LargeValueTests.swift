import CacheModel
import Foundation
import MartletClient
import TestSupport
import Testing

extension EndToEndTests {
    /// Values around every boundary of the wire, through every interface.
    @Suite(.serialized) struct LargeValueTests {
        /// A frame takes 512 KiB of a value, and a namespace 16 MiB by default.
        static let sizes = [0, 1, 524_287, 524_288, 524_289, 1_048_577, 16 << 20]

        @Test(arguments: ClusterPlan.Topology.shardedAndReplicated)
        func aValueOfAnySizeIsStoredThroughEveryInterface(
            topology: ClusterPlan.Topology
        ) async throws {
            try await withGateway(ClusterPlan(topology)) { cluster, gateway in
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                for size in Self.sizes {
                    let value = Self.value(size)
                    try await Self.storeByCommand(value, in: cluster, at: endpoint)
                    let key = CacheKey.named("library-\(size)")
                    let stored = try await cluster.client.set(key, to: value)
                    #expect(stored.storedOn.count == (topology == .replicated ? 3 : 1))
                    try await Self.expect(value, under: key, in: cluster)
                    let put = try await gateway.curl(
                        "/v1/default/gateway-\(size)", ["-T", "-", "-H", "Expect:"], input: value)
                    #expect(put.status == 204, "\(size): \(put.text)")
                    try await Self.expect(value, under: .named("gateway-\(size)"), in: cluster)
                    let got = try await gateway.curl("/v1/default/library-\(size)")
                    #expect(got.status == 200 && got.body == value, "\(size)")
                }
                let long = try await gateway.curl(
                    "/v1/default/long", ["-T", "-", "-H", "Expect:"],
                    input: [UInt8](repeating: 1, count: 16 << 20 + 1))
                #expect(long.status == 413)
            }
        }

        /// Letters, of which each part has others.
        private static func value(_ size: Int) -> [UInt8] {
            var value = [UInt8](repeating: UInt8(ascii: "x"), count: size)
            for place in stride(from: 0, to: size, by: 4_099) {
                value[place] = UInt8(97 + place % 26)
            }
            return value
        }

        private static func storeByCommand(
            _ value: [UInt8], in cluster: Cluster, at endpoint: String
        ) async throws {
            let key = "command-\(value.count)"
            let set = try await Program.run(
                ["set", key, "-", "--cluster", endpoint],
                input: String(decoding: value, as: UTF8.self))
            #expect(set.code == 0, "\(value.count): \(set)")
            try await expect(value, under: .named(key), in: cluster)
        }

        /// On each node that has it.
        private static func expect(
            _ value: [UInt8], under key: CacheKey, in cluster: Cluster
        ) async throws {
            let nodes = cluster.view.isReplicated ? cluster.view.nodes.map(Optional.some) : [nil]
            for node in nodes {
                var options = ReadOptions()
                options.node = node
                let found = try await cluster.client.get(key, options: options)
                #expect(found?.bytes == value, "\(key), \(value.count) bytes, \(node?.name ?? "-")")
            }
        }
    }
}
