import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

extension EndToEndTests {
    /// A node that has started asks a replica what is hot, and has it loaded.
    @Suite(.serialized) struct WarmUpTests {
        @Test func aNodeThatIsStartedAgainIsWarmBeforeItIsAsked() async throws {
            let origin = try OriginServer { .text($0.path) }
            defer { origin.close() }
            var plan = ClusterPlan(.replicated)
            plan.nodeCount = 2
            plan.nodeSettings = ["warm-up: peers", "warm-up-keys: 10", "warm-up-rate: 1000"]
            plan.respawn = "100ms"
            plan.namespaces = [
                "  default:", "    origin:", "      url: \(origin.url)", "      coalesce: node",
            ]
            try await withCluster(plan) { cluster in
                let client = cluster.client
                let (n1, n2) = (try #require(NodeID("n1")), try #require(NodeID("n2")))
                for number in 0..<30 {
                    let key = try #require(CacheKey("k\(number)"))
                    var options = ReadOptions()
                    options.node = n1
                    for _ in 0..<(number < 10 ? 5 : 1) {
                        _ = try await client.get(key, options: options)
                    }
                }
                ProcessTable.send(SIGKILL, to: try cluster.processID(of: n2))
                try await eventually("it has been warmed up", within: .seconds(30)) {
                    let status = try? await client.status(of: n2)
                    return status?.first?.figures["warm_up_done"] == 10
                }
                for number in 0..<10 {
                    var options = ReadOptions()
                    options.node = n2
                    options.policy = .cacheOnly
                    let value = try await client.get(.named("k\(number)"), options: options)
                    #expect(value?.bytes == Array("k\(number)".utf8))
                }
            }
        }
    }
}
