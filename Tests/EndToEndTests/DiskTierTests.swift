import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    /// Nodes with disk tiers whose processes and files meet with an end: docs/decisions/0035.
    @Suite(.serialized) struct DiskTierTests {
        private static func plan(_ topology: ClusterPlan.Topology) -> ClusterPlan {
            var plan = ClusterPlan(topology)
            plan.disk = "64MiB"
            plan.respawn = "100ms"
            return plan
        }

        private static func log(of node: NodeID, _ cluster: Cluster) -> String {
            let file = cluster.directory.file("\(node).log")
            let data = FileManager.default.contents(atPath: file.path) ?? Data()
            return String(decoding: data, as: UTF8.self)
        }

        private static func killAll(_ cluster: Cluster) async throws {
            for node in cluster.ready.nodes { ProcessTable.send(SIGKILL, to: node.pid) }
            try await eventually("every node is there again") {
                cluster.view.nodes.allSatisfy { cluster.up.errors.contains("\($0) started again") }
            }
            try await cluster.view.settle()
        }

        private static func figures(_ cluster: Cluster) async throws -> [String: UInt64] {
            let shards = try await cluster.client.cluster.status(of: cluster.view.nodes[0])
            return try #require(shards.first).figures
        }

        /// Stores long values until the disk has declined one, and has emptied a segment for it: a
        /// node that is killed while it moves records finds them twice.
        ///
        /// - Returns: their keys.
        private static func fill(_ namespace: Namespace, _ cluster: Cluster) async throws
            -> [CacheKey]
        {
            var keys: [CacheKey] = []
            let name = "namespace_disk_declined:\(namespace)"
            // The figure is there once the namespace's share is in force.
            try await eventually("a value is declined") {
                keys.append(.named("long-\(keys.count)"))
                let value = [UInt8](repeating: 1, count: 100_000)
                _ = try await cluster.client.set(keys[keys.count - 1], to: value, in: namespace)
                return try await figures(cluster)[name] ?? 0 > 0
            }
            try await eventually("a segment is emptied") {
                try await figures(cluster)["disk_reclaimed_segments"] ?? 0 > 0
            }
            return keys
        }

        @Test func namespacesKeepToTheirSharesOfTheDisk() async throws {
            var plan = Self.plan(.sharded)
            plan.nodeCount = 1
            plan.namespaces = ["  closed: {disk-max: 0%}", "  some: {disk-max: 5%}"]
            try await withCluster(plan) { cluster in
                let view = cluster.view
                let (closed, some) = (Namespace.named("closed"), Namespace.named("some"))
                let entries = SampleEntry.many(40)
                try await view.fill(entries)
                try await view.fill(entries, in: closed)
                let keys = try await Self.fill(some, cluster)
                let before = try await Self.figures(cluster)
                #expect(before["namespace_disk_bytes:closed"] == 0)
                #expect(before["namespace_disk_declined:closed"] ?? 0 >= 40)
                let taken = before["namespace_disk_bytes:some"] ?? 0
                let most = before["namespace_disk_bytes_max:some"] ?? 0
                #expect(taken <= most && taken + 110_000 > most && keys.count > 20)
                await view.expect(only: entries, of: entries, in: closed)

                try await Self.killAll(cluster)
                await view.expect(only: entries, of: entries)
                await view.expect(only: [], of: entries, in: closed)
                #expect(try await cluster.client.get(keys[0], in: some)?.bytes.count == 100_000)
                try await eventually("the restarted node has its share") {
                    try await Self.figures(cluster)["namespace_disk_bytes:some"] == taken
                }

                let file = cluster.configurationFile
                let text = try String(contentsOf: file, encoding: .utf8)
                try Data(text.replacing("disk-max: 5%", with: "disk-max: 0%").utf8)
                    .write(to: file, options: .atomic)
                try await eventually("the share is taken away") {
                    try await Self.figures(cluster)["namespace_disk_bytes_max:some"] == 0
                }
                let tombstones = try await Self.figures(cluster)["disk_tombstones"] ?? 0
                _ = try await cluster.client.set(keys[1], to: [2], in: some)
                let after = try await Self.figures(cluster)
                #expect(after["namespace_disk_bytes:some"] == taken)
                #expect(after["disk_tombstones"] == tombstones + 1, "what lay there is removed")
                #expect(try await cluster.client.get(keys[1], in: some)?.bytes == [2])
            }
        }

        /// Both what was invalidated before the kill and what was kept are as they were.
        @Test(arguments: ClusterPlan.Topology.all)
        func nodesThatAreKilledHaveWhatTheyHad(topology: ClusterPlan.Topology) async throws {
            try await withCluster(Self.plan(topology)) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(150)
                try await view.fill(entries)
                let receipt = try await view.invalidate(
                    .tag(Tag.named("tag-1"), in: .default))
                #expect(receipt.isComplete)
                let kept = entries.filter { !$0.tags.contains("tag-1") }
                #expect(!kept.isEmpty && kept.count < entries.count)
                try await Self.killAll(cluster)
                await view.expect(only: kept, of: entries)
                for node in view.nodes {
                    let log = Self.log(of: node, cluster)
                    #expect(log.contains("continues at the position of its disk tiers"), "\(log)")
                }
            }
        }

        /// Values that go to disk in parts, and to the client in several messages.
        @Test func nodesThatAreKilledHaveLongValues() async throws {
            try await withCluster(Self.plan(.sharded)) { cluster in
                let view = cluster.view
                let entries = [200_000, 1_300_000, 5_000_000].map {
                    SampleEntry(key: "long-\($0)", padding: $0)
                }
                try await view.fill(entries)
                try await eventually("all of them are on disk") {
                    var count: UInt64 = 0
                    for node in view.nodes {
                        for shard in try await view.client.cluster.status(of: node) {
                            count += shard.figures["disk_divided"] ?? 0
                        }
                    }
                    return count == UInt64(entries.count)
                }
                try await Self.killAll(cluster)
                await view.expect(only: entries, of: entries)
            }
        }

        @Test func aFileThatWasCutBeginsAnewAndItsNodeServes() async throws {
            try await withCluster(Self.plan(.sharded)) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(150)
                try await view.fill(entries)
                let victim = view.nodes[0]
                let lost = try await cluster.owned(by: victim, of: entries)
                #expect(!lost.isEmpty)
                let file = cluster.directory.file("\(victim)/shard-0.tier")
                try FileHandle(forWritingTo: file).truncate(atOffset: 1 << 20)
                try await Self.killAll(cluster)
                #expect(Self.log(of: victim, cluster).contains("cut by somebody else"))
                await view.expect(only: entries.filter { !lost.contains($0) }, of: entries)
                try await view.fill(lost)
                await view.expect(only: entries, of: entries)
            }
        }

        /// No disk has so much free: the tiers begin with the least that they keep.
        @Test func nodesShortOfDiskSpaceUseAndReportSmallerTiers() async throws {
            var plan = Self.plan(.sharded)
            plan.environment["MARTLET_DISK_FREE"] = "1024TiB"
            try await withCluster(plan) { cluster in
                let view = cluster.view
                let entries = SampleEntry.many(150)
                try await view.fill(entries)
                for node in view.nodes {
                    for shard in try await view.client.cluster.status(of: node) {
                        let (used, most) = (
                            shard.figures["disk_bytes"] ?? 0, shard.figures["disk_bytes_max"] ?? 0
                        )
                        #expect(used > 0 && used < most, "\(used) of \(most)")
                    }
                    let log = Self.log(of: node, cluster)
                    #expect(log.contains("the disk tier uses less space than configured"))
                }
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let status = try await Program.run(["status", "--cluster", endpoint])
                #expect(status.output.contains("its disk tier uses "), "\(status.output)")
                try await Self.killAll(cluster)
                await view.expect(only: entries, of: entries)
            }
        }

        @Test func anUnusableDirectoryIsReportedAndTheNodeServesFromMemory() async throws {
            var plan = Self.plan(.sharded)
            // A file stands where the first node's directory is to be.
            plan.makeLog = { log in
                let place = URL(fileURLWithPath: log).deletingLastPathComponent()
                try Data().write(to: place.appendingPathComponent("n1"))
            }
            try await withCluster(plan) { cluster in
                let entries = SampleEntry.many(30)
                try await cluster.view.fill(entries)
                await cluster.view.expect(only: entries, of: entries)
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let status = try await Program.run(["status", "--cluster", endpoint])
                #expect(status.code == 0, "\(status)")
                #expect(status.output.contains("\nn1 has no disk tier: "), "\(status.output)")
                #expect(!status.output.contains("n2 has no disk tier"))
            }
        }
    }
}
