import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

extension EndToEndTests {
    @Suite(.serialized) struct ConfigurationReloadTests {
        @Test func nodesApplyAChangedConfigurationFileAndIgnoreAnInvalidOne() async throws {
            var plan = ClusterPlan()
            plan.namespaces = ["  short:", "    ttl: 1h"]
            try await withCluster(plan) { cluster in
                let file = cluster.configurationFile
                let original = try String(contentsOf: file, encoding: .utf8)
                try await expectLifetime(.seconds(3_600), on: cluster)
                let first = try await cluster.client.cluster.servedConfiguration().revision

                try Data(original.replacing("ttl: 1h", with: "ttl: 5m").utf8)
                    .write(to: file, options: .atomic)
                try await expectLifetime(.seconds(300), on: cluster)
                let second = try await cluster.client.cluster.servedConfiguration().revision
                #expect(second != first)

                try Data(original.replacing("ttl: 1h", with: "ttl: nonsense").utf8)
                    .write(to: file, options: .atomic)
                let log = cluster.directory.file("publisher.log")
                try await eventually("the publisher complains") {
                    try String(contentsOf: log, encoding: .utf8)
                        .contains("the last configuration stays")
                }
                #expect(try await cluster.client.cluster.servedConfiguration().revision == second)
                try await expectLifetime(.seconds(300), on: cluster)

                try Data(original.replacing("ttl: 1h", with: "ttl: 2m").utf8)
                    .write(to: file, options: .atomic)
                try await expectLifetime(.seconds(120), on: cluster)
                try await cluster.view.settle()
            }
        }

        @Test func aConfigurationThatNeedsARestartLeavesTheClusterUnchanged() async throws {
            var plan = ClusterPlan()
            plan.namespaces = ["  short:", "    ttl: 1h"]
            try await withCluster(plan) { cluster in
                let file = cluster.configurationFile
                let original = try String(contentsOf: file, encoding: .utf8)
                let keys = (0..<60).map { CacheKey.named("key-\($0)") }
                for key in keys { _ = try await cluster.client.set(key, to: [1]) }
                let before = try await cluster.client.cluster.servedConfiguration().revision
                let version = try await cluster.client.cluster.topology(isRefreshed: true).version

                let wrong = original.replacing("topology: sharded", with: "topology: replicated")
                    .replacing("id: n3,", with: "id: n3, shards: 2,")
                    .replacing("ttl: 1h", with: "ttl: 5m")
                #expect(wrong != original)
                try Data(wrong.utf8).write(to: file, options: .atomic)
                try await eventually("the publisher says what cannot change") {
                    let log = cluster.log(of: "publisher")
                    return log.contains("topology: sharded → replicated")
                        && log.contains("nodes.n3.shards: 1 → 2")
                }
                #expect(try await cluster.client.cluster.servedConfiguration().revision == before)
                #expect(
                    try await cluster.client.cluster.topology(isRefreshed: true).version == version)
                for key in keys {
                    #expect(try await cluster.client.get(key)?.bytes == [1])
                }
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let status = try await Program.run(["status", "--cluster", endpoint])
                #expect(status.output.contains("cannot be taken over"), "\(status)")

                // What is in force again is no trouble; SIGHUP has that said.
                try Data(original.utf8).write(to: file, options: .atomic)
                try await eventually("the file says again what is in force") {
                    cluster.log(of: "publisher").contains("says again what is in force")
                }
                ProcessTable.send(SIGHUP, to: cluster.ready.publisher.pid)
                try await eventually("the publisher answers SIGHUP") {
                    cluster.log(of: "publisher").contains("cluster.yaml says what is in force")
                }
                let after = try await Program.run(["status", "--cluster", endpoint])
                #expect(!after.output.contains("cannot be taken over"), "\(after)")
                try await expectLifetime(.seconds(3_600), on: cluster)
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
