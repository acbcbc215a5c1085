import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

extension EndToEndTests {
    /// One of so many operations has a line in the log of the node that answered it.
    @Suite(.serialized) struct SamplingTests {
        private static let id = "4bf92f3577b34da6a3ce929d0e0e4736"

        private static func has(_ cluster: Cluster, _ words: [String]) -> Bool {
            ["n1", "n2", "n3"].contains { name in
                cluster.log(of: name).split(separator: "\n").contains { line in
                    words.allSatisfy { line.contains($0) }
                }
            }
        }

        @Test func sampledOperationsAreLoggedWithTheirKeyOutcomeAndSource() async throws {
            let origin = try OriginServer {
                $0.path == "gone" ? .init(status: 404) : .text("12345")
            }
            defer { origin.close() }
            var plan = ClusterPlan()
            plan.nodeSettings = ["sample-log: 1/1"]
            plan.environment = ["MARTLET_LOG_NAMES": "clear"]
            plan.namespaces = ["  images:", "    origin:", "      url: \(origin.url)"]
            try await withCluster(plan) { cluster in
                let client = cluster.client
                _ = try await client.set(.named("told"), to: [1, 2, 3])
                _ = try await client.get(.named("told"))
                _ = try await client.get(.named("nobody has it"))
                _ = try await client.delete([.named("told")])
                var options = ReadOptions()
                options.trace = TraceContext(traceparent: "00-\(Self.id)-00f067aa0ba902b7-01")
                let images = Namespace.named("images")
                _ = try await client.get(.named("loaded"), in: images, options: options)
                _ = try await client.get(.named("gone"), in: images)
                for words in [
                    ["operation=set", "key=told", "outcome=stored", "bytes=3"],
                    ["operation=get", "key=told", "outcome=hit", "from=memory", "bytes=3"],
                    ["operation=get", "key=nobody%20has%20it", "outcome=miss"],
                    ["operation=delete", "key=told", "outcome=removed"],
                    [
                        "operation=get", "key=loaded", "outcome=hit", "from=origin", "bytes=5",
                        "namespace=images", "request_id=\(Self.id)",
                    ],
                    ["operation=get", "key=gone", "outcome=absent", "namespace=images"],
                ] {
                    try await eventually("the log has \(words)") {
                        Self.has(cluster, words + ["a sampled operation"])
                    }
                }
                #expect(!Self.has(cluster, ["12345"]), "no value")
            }
        }

        /// By the flags of `up`, which every process gets as variables.
        @Test(.timeLimit(.minutes(2)))
        func upHasAllItsProcessesSampleAndItsGatewayIsWatched() async throws {
            var plan = ClusterPlan()
            plan.hasGateway = true
            plan.flags = [
                "--near-cache", "1MiB", "--near-cache-age", "1s", "--sample-log", "1/1",
                "--log-names", "hashed", "--log-format", "json",
            ]
            try await withCluster(plan) { cluster in
                let url = try #require(cluster.ready.gateway?.url)
                let http = try #require(cluster.ready.gateway?.http)
                #expect(cluster.up.output.contains("of the gateway at \(http)/metrics"))
                let put = try await CurlAnswer.of([url + "/v1/default/a", "-T", "-"], input: [65])
                #expect(put.status < 300)
                #expect(try await CurlAnswer.of([url + "/v1/default/a"]).text == "A")
                #expect(try await CurlAnswer.of([http + "/livez"]).status == 200)
                let metrics = try await CurlAnswer.of([http + "/metrics"]).text
                #expect(metrics.contains("martlet_gateway_near_"))
                let words = ["\"key_hash\":\"", "\"message\":\"a sampled operation\""]
                try await eventually("a node's log has it") {
                    Self.has(cluster, words + ["\"outcome\":\"stored\"", "\"bytes\":\"1\""])
                }
                try await eventually("the gateway's log has it") {
                    let line = words + ["\"role\":\"gateway\""]
                    return cluster.log(of: "gateway").split(separator: "\n").contains { said in
                        line.allSatisfy { said.contains($0) }
                    }
                }
                #expect(cluster.log(of: "publisher").hasPrefix("{"))
                let taken = try await Program.run(
                    ["up", "--nodes", "1", "--sample-log", "often"])
                #expect(taken.code == 64 && taken.errors.contains("give 1/N"), "\(taken)")
            }
        }
    }
}
