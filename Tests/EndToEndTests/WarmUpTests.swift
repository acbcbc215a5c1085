import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

extension EndToEndTests {
    /// A rolling restart of a replicated cluster without an origin does not empty it: each node is
    /// filled from its peers.
    @Suite(.serialized) struct WarmUpTests {
        private static let keys = (0..<300).map { CacheKey.named("k\($0)") }

        @Test func aRollingRestartEmptiesNothing() async throws {
            var plan = ClusterPlan(.replicated)
            // Slow enough for an invalidation in the middle.
            plan.nodeSettings = ["warm-up-rate: 200"]
            plan.respawn = "100ms"
            try await withCluster(plan) { cluster in
                let client = cluster.client
                for key in Self.keys {
                    _ = try await client.set(key, to: Array("old".utf8))
                }
                var gone: Set<CacheKey> = []
                for (index, name) in ["n1", "n2", "n3"].enumerated() {
                    let node = try #require(NodeID(name))
                    let raced = Self.keys[290 + index]
                    try await Self.restart(node, of: cluster)
                    try await Self.waitUntilFilled(node, cluster, past: 1)
                    let receipt = try await client.invalidate(
                        [Scope(.key(raced, in: .default))])
                    #expect(receipt.isComplete)
                    gone.insert(raced)
                    #expect(try await Self.found([raced], at: node, client) == 0)
                    try await Self.waitUntilFilled(node, cluster)
                    let there = Self.keys.filter { !gone.contains($0) }
                    #expect(try await Self.found(there, at: node, client) == there.count)
                    #expect(try await Self.found(Array(gone), at: node, client) == 0)
                }
            }
        }

        /// Where it is switched off, a node begins empty, as it did before.
        @Test func aNodeThatIsNotToBeFilledBeginsEmpty() async throws {
            var plan = ClusterPlan(.replicated)
            plan.nodeCount = 2
            plan.nodeSettings = ["warm-up: off"]
            plan.respawn = "100ms"
            try await withCluster(plan) { cluster in
                let node = try #require(NodeID("n2"))
                _ = try await cluster.client.set(Self.keys[0], to: Array("v".utf8))
                try await Self.restart(node, of: cluster)
                try await eventually("it is live again", within: .seconds(30)) {
                    let status = try? await cluster.client.cluster.status(of: node)
                    return status?.first?.state == .live
                }
                #expect(try await Self.found([Self.keys[0]], at: node, cluster.client) == 0)
            }
        }

        /// Kills a node, and waits until its next run answers.
        private static func restart(_ node: NodeID, of cluster: Cluster) async throws {
            let before = try await cluster.client.cluster.status(of: node).first?.figures[
                "incarnation"]
            ProcessTable.send(SIGKILL, to: try cluster.processID(of: node))
            try await eventually("\(node) runs again", within: .seconds(30)) {
                let status = try? await cluster.client.cluster.status(of: node)
                let now = status?.first?.figures["incarnation"]
                return now != nil && now != before
            }
        }

        /// - Parameter count: of copied keys that are enough; `nil`: all.
        private static func waitUntilFilled(
            _ node: NodeID, _ cluster: Cluster, past count: UInt64? = nil
        ) async throws {
            try await eventually("\(node) is filled", within: .seconds(60)) {
                let figures = try? await cluster.client.cluster.status(of: node).first?.figures
                if figures?["warm_up_phase"] == 3 { return true }
                guard let count, let copied = figures?["warm_up_copied"] else { return false }
                return copied >= count
            }
        }

        /// How many of the keys one node has.
        private static func found(
            _ keys: [CacheKey], at node: NodeID, _ client: CacheClient
        ) async throws -> Int {
            var options = ReadOptions()
            options.node = node
            var count = 0
            for key in keys where try await client.get(key, options: options) != nil { count += 1 }
            return count
        }
    }
}
