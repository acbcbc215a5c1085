import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

extension EndToEndTests {
    @Suite(.serialized) struct ConfigurationReloadTests {
        @Test func aChangedFileIsInForceOnEveryNodeAndABrokenOneIsRefused() async throws {
            var plan = ClusterPlan()
            plan.namespaces = ["  short:", "    ttl: 1h"]
            try await withCluster(plan) { cluster in
                let file = cluster.configurationFile
                let original = try String(contentsOf: file, encoding: .utf8)
                try await expectLifetime(.seconds(3_600), on: cluster)
                let first = try await cluster.client.servedConfiguration().revision

                try Data(original.replacing("ttl: 1h", with: "ttl: 5m").utf8)
                    .write(to: file, options: .atomic)
                try await expectLifetime(.seconds(300), on: cluster)
                let second = try await cluster.client.servedConfiguration().revision
                #expect(second != first)

                try Data(original.replacing("ttl: 1h", with: "ttl: nonsense").utf8)
                    .write(to: file, options: .atomic)
                let log = cluster.directory.file("publisher.log")
                try await eventually("the publisher complains") {
                    try String(contentsOf: log, encoding: .utf8)
                        .contains("the last configuration stays")
                }
                #expect(try await cluster.client.servedConfiguration().revision == second)
                try await expectLifetime(.seconds(300), on: cluster)

                try Data(original.replacing("ttl: 1h", with: "ttl: 2m").utf8)
                    .write(to: file, options: .atomic)
                try await expectLifetime(.seconds(120), on: cluster)
                try await cluster.view.settle()
            }
        }

        /// Stores without a time to live, on every node, until all of them get that one.
        private func expectLifetime(_ lifetime: Duration, on cluster: Cluster) async throws {
            let namespace = Namespace.named("short")
            var last: [NodeID: Duration] = [:]
            try await eventually("a time to live of \(lifetime): \(last)") {
                for number in 0..<60 {
                    let key = CacheKey.named("key-\(number)")
                    _ = try await cluster.client.set(key, to: [1], in: namespace)
                    let value = try await cluster.client.get(key, in: namespace)
                    guard let node = value?.node else { throw GaveUp("it is not there") }
                    last[node] = value?.timeToLive
                }
                return last.count == cluster.view.nodes.count
                    && last.values.allSatisfy {
                        $0 <= lifetime && $0 > lifetime - .seconds(20)
                    }
            }
        }
    }
}
