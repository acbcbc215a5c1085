import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

extension EndToEndTests {
    /// Nodes that are added to a sharded cluster and taken out again: docs/decisions/0084.
    @Suite(.serialized) struct MembershipTests {
        private static let keys = (0..<400).map { CacheKey.named("key-\($0)") }

        @Test func anAcknowledgedStoreIsNotUndoneByNodesThatComeAndGo() async throws {
            var plan = ClusterPlan()
            plan.isLogKept = true
            try await withCluster(plan) { cluster in
                let file = cluster.configurationFile
                let three = try String(contentsOf: file, encoding: .utf8)
                try await store(1, on: cluster.client)
                let four = three.replacing("  - {id: n3,", with: "  - {id: n4}\n  - {id: n3,")
                try Data(four.utf8).write(to: file, options: .atomic)
                try await eventually("the publisher knows n4") {
                    cluster.log(of: "publisher").contains("configuration reloaded")
                }
                let publisher = try #require(cluster.ready.publisher.endpoint)
                let node = try RunningProgram(
                    [
                        "node", "--id", "n4", "--publisher", publisher, "--bind",
                        "tcp://127.0.0.1:*",
                    ],
                    name: "n4", in: cluster.directory.url)
                defer { node.kill() }
                try await eventually("n4 owns a share of the keys") {
                    do throws(CacheError) {
                        return try await store(2, on: cluster.client).keys.contains("n4")
                    } catch {
                        // It is named before it is there.
                        return false
                    }
                }
                // What was stored while keys moved may have gone with its owner.
                try await store(2, on: cluster.client)
                // A client that knows the cluster from now on only, and later one as old as this.
                let asOld = try CacheClient(CacheClientConfiguration(endpoints: [publisher]))
                #expect(try await found(by: asOld)[2] == Self.keys.count)

                try Data(three.utf8).write(to: file, options: .atomic)
                var last: [UInt8: Int] = [:]
                try await eventually("n4 is not asked any more: \(last)") {
                    // A node that is not named any more ends; until the client knows, it fails.
                    guard let now = try? await found(by: cluster.client) else { return false }
                    last = now
                    return (last[2] ?? 0) < Self.keys.count
                }
                // What was n4's is gone; nothing that it replaced is back.
                for client in [cluster.client, asOld] {
                    var found: [UInt8: Int] = [:]
                    try await eventually("the client knows the members") {
                        guard let now = try? await self.found(by: client) else { return false }
                        found = now
                        return true
                    }
                    #expect(found[1] == nil, "version 1 is back: \(found)")
                    #expect((found[2] ?? 0) > Self.keys.count / 2, "what stayed is there: \(found)")
                }
                await asOld.close()
                node.kill()
            }
        }

        /// - Returns: how many keys each node stored.
        @discardableResult
        private func store(
            _ version: UInt8, on client: CacheClient
        ) async throws(CacheError) -> [String: Int] {
            var nodes: [String: Int] = [:]
            for key in Self.keys {
                let result = try await client.set(key, to: [version])
                for node in result.storedOn { nodes[node.name, default: 0] += 1 }
            }
            return nodes
        }

        /// - Returns: how often each version was found.
        private func found(by client: CacheClient) async throws -> [UInt8: Int] {
            var versions: [UInt8: Int] = [:]
            for key in Self.keys {
                guard let value = try await client.get(key) else { continue }
                versions[value.bytes.first ?? 0, default: 0] += 1
            }
            return versions
        }
    }
}
