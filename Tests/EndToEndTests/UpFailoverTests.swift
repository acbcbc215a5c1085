import CacheModel
import Foundation
import MartletClient
import TestSupport
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    /// `martlet up --publishers`, with the etcd of this machine.
    @Suite(.serialized, .enabled(if: EtcdServer.isInstalled)) struct UpFailoverTests {
        private static func plan(
            _ topology: ClusterPlan.Topology = .sharded, nodes: Int = 2
        ) -> ClusterPlan {
            var plan = ClusterPlan(topology)
            (plan.nodeCount, plan.publisherCount, plan.respawn) = (nodes, 3, "100ms")
            return plan
        }

        @Test(arguments: [ClusterPlan.Topology.sharded, .slots])
        func afterTheLeadersEndAnotherPublisherLeadsOnTheSameLog(
            topology: ClusterPlan.Topology
        ) async throws {
            try await withCluster(Self.plan(topology)) { cluster in
                #expect(cluster.ready.publishers?.map(\.id) == ["p1", "p2", "p3"])
                #expect(cluster.ready.etcd?.count == 3)
                #expect(cluster.up.output.contains(", leads"), "\(cluster.up.output)")
                let entries = SampleEntry.many(20)
                try await cluster.view.fill(entries)
                let before = try await cluster.view.invalidate(.key(.named("a"), in: .default))
                ProcessTable.send(SIGKILL, to: cluster.ready.publisher.pid)
                let after = try await cluster.view.invalidate(.key(.named("b"), in: .default))
                #expect(after.position > before.position)
                #expect(after.position.epoch == before.position.epoch)
                await cluster.view.expect(only: entries, of: entries)
                try await eventually("the publisher is there again, as a standby") {
                    cluster.up.errors.contains("started again")
                }
            }
        }

        @Test func theNextStartInTheDirectoryGoesOnWithTheLog() async throws {
            let cluster = try await Cluster.start(Self.plan(nodes: 1))
            defer { cluster.clear() }
            let before = try await cluster.view.invalidate(.key(.named("a"), in: .default)).position
            await cluster.client.close()
            try await cluster.stop()
            let place = try #require(cluster.ready.publishers?[0].endpoint)
            let port = try #require(place.split(separator: ":").last.map(String.init))
            let again = try RunningProgram(
                [
                    "up", "--dir", cluster.directory.url.path, "--port", port, "--nodes", "1",
                    "--publishers", "3", "--ready-file", cluster.readyFile.path,
                ], name: "again", in: cluster.directory.url)
            defer { again.kill() }
            try await eventually("it runs again", within: .seconds(60)) {
                FileManager.default.fileExists(atPath: cluster.readyFile.path) || !again.isRunning
            }
            let ending = try await Program.run(["invalidate", "key", "a", "--cluster", place])
            let next = before.next
            #expect(ending.output.contains("invalidated at \(next)@"), "\(ending)")
            again.signal(SIGTERM)
            #expect(try await again.ended(within: .seconds(15)) == 0)
        }

        @Test func killedOutrightItLeavesNoMemberBehind() async throws {
            let cluster = try await Cluster.start(Self.plan(nodes: 1))
            defer { cluster.clear() }
            await cluster.client.close()
            let children = cluster.ready.processIDs
            #expect(children.count == 7 && children.allSatisfy(ProcessTable.isAlive))
            cluster.up.signal(SIGKILL)
            #expect(try await cluster.up.ended() == 128 + SIGKILL)
            defer {
                let left = children.filter(ProcessTable.isAlive)
                for child in left { ProcessTable.send(SIGKILL, to: child) }
            }
            try await eventually("every child ends", within: .seconds(15)) {
                !children.contains(where: ProcessTable.isAlive)
            }
        }
    }
}
