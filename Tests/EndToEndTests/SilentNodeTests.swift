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
    /// One of three nodes is stopped: its connections stand, and it says nothing.
    @Suite(.serialized) struct SilentNodeTests {
        /// Far less than a timeout for each call.
        private static let soon: Duration = .seconds(10)

        private func withStoppedNode(
            _ plan: ClusterPlan = ClusterPlan(),
            _ body: (Cluster, _ lost: [SampleEntry], _ left: [SampleEntry]) async throws -> Void
        ) async throws {
            try await withCluster(plan) { cluster in
                let entries = SampleEntry.many(150)
                try await cluster.view.fill(entries)
                let victim = cluster.view.nodes[1]
                let lost = try await cluster.owned(by: victim, of: entries)
                let process = try cluster.processID(of: victim)
                try await ProcessTable.stop(process)
                defer { ProcessTable.send(SIGCONT, to: process) }
                try await body(cluster, lost, entries.filter { !lost.contains($0) })
                ProcessTable.send(SIGCONT, to: process)
                try await eventually("its keys are served again") {
                    await cluster.view.find(lost).failures.isEmpty
                }
            }
        }

        @Test func itsKeysFailAtOnceAndTheOthersAreServed() async throws {
            try await withStoppedNode { cluster, lost, left in
                try #require(lost.count > 10 && left.count > 10)
                let start = ContinuousClock.now
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<64 {
                        group.addTask {
                            for entry in lost.prefix(10) {
                                _ = try? await cluster.client.get(.named(entry.key))
                            }
                        }
                    }
                }
                let took = ContinuousClock.now - start
                #expect(took < Self.soon, "64 callers waited \(took) for 10 keys each")
                let found = await cluster.view.find(left)
                #expect(found.fresh.count == left.count, "\(found)")
                let error = await #expect(throws: CacheError.self) {
                    try await cluster.client.set(.named(lost[0].key), to: [1])
                }
                #expect(error?.code == .disconnected && error?.mayHaveHappened == false)
            }
        }

        @Test func anotherNodeLoadsWhatItsOriginHas() async throws {
            let origin = try OriginServer { .text("\($0.path) of the origin") }
            defer { origin.close() }
            var plan = ClusterPlan()
            plan.namespaces = ["  default:", "    origin:", "      url: \(origin.url)"]
            try await withCluster(plan) { cluster in
                let names = (0..<60).map { "row-\($0)" }
                for name in names { _ = try await cluster.client.get(.named(name)) }
                let process = try cluster.processID(of: cluster.view.nodes[1])
                try await ProcessTable.stop(process)
                defer { ProcessTable.send(SIGCONT, to: process) }
                let start = ContinuousClock.now
                for _ in 0..<2 {
                    for name in names {
                        let value = try await cluster.client.get(.named(name))
                        #expect(value?.bytes == Array("\(name) of the origin".utf8))
                    }
                }
                let took = ContinuousClock.now - start
                #expect(took < Self.soon, "120 gets took \(took)")
                let most = names.map(origin.requestCount).max() ?? 0
                // Another node loads, and not for each read.
                #expect((2...10).contains(most), "\(most) loads of one key")
            }
        }

        @Test func aStoppedPublisherIsSaidToTakeConnections() async throws {
            try await withCluster { cluster in
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let nodes = cluster.ready.nodes.compactMap { $0.endpoints?.first }
                let places = ([endpoint] + nodes).joined(separator: ",")
                let process = cluster.ready.publisher.pid
                try await ProcessTable.stop(process)
                defer { ProcessTable.send(SIGCONT, to: process) }
                let start = ContinuousClock.now
                let stopped = try await Program.run(
                    ["config", "show", "--cluster", places, "--timeout", "30s"])
                #expect(stopped.code == 3, "\(stopped)")
                #expect(
                    stopped.errors.contains("\(endpoint) takes connections and does not answer"),
                    "\(stopped)")
                #expect(ContinuousClock.now - start < Self.soon)
            }
        }

        @Test func aCommandForItsKeyEndsSoonAndSaysWhy() async throws {
            try await withStoppedNode { cluster, lost, left in
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let start = ContinuousClock.now
                let ending = try await Program.run(
                    ["get", lost[0].key, "--cluster", endpoint, "--timeout", "30s"])
                #expect(ending.code == 3, "\(ending)")
                #expect(ending.errors.contains("\(cluster.view.nodes[1])"), "\(ending)")
                #expect(ContinuousClock.now - start < Self.soon)
                let other = try await Program.run(["get", left[0].key, "--cluster", endpoint])
                #expect(other.code == 0, "\(other)")
            }
        }
    }
}
