import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

extension EndToEndTests {
    /// Nodes with bounds of entries, and namespaces that refuse when they are full.
    @Suite(.serialized) struct EntryBoundTests {
        private static func figure(_ name: String, _ cluster: Cluster) async throws -> UInt64? {
            let endpoint = try #require(cluster.ready.publisher.endpoint)
            let status = try await Program.run(["status", "--json", "--cluster", endpoint])
            let pattern = try Regex("\"\(name)\":([0-9]+)", as: (Substring, Substring).self)
            return status.output.firstMatch(of: pattern).flatMap { UInt64($0.1) }
        }

        private static let keys = (0..<200).map { CacheKey.named("k\($0)") }

        @Test func entriesBeyondTheMemoryLimitStayReadableFromDisk() async throws {
            var plan = ClusterPlan()
            plan.nodeCount = 1
            plan.disk = "16MiB"
            plan.flags = ["--entries-max", "50"]
            try await withCluster(plan) { cluster in
                for key in Self.keys { _ = try await cluster.client.set(key, to: [1]) }
                #expect(try await Self.figure("entries", cluster) == 50)
                #expect(try await Self.figure("entries_max", cluster) == 50)
                #expect(try await Self.figure("disk_entries", cluster) == 200)
                for key in Self.keys {
                    #expect(try await cluster.client.get(key)?.bytes == [1])
                }
                #expect(try await Self.figure("entries", cluster) == 50)
            }
        }

        @Test func aNamespacesNumberIsLoweredWhileItRuns() async throws {
            var plan = ClusterPlan()
            plan.nodeCount = 1
            plan.nodeSettings = ["entries-max: 150"]
            plan.namespaces = ["  few:", "    entries-max: 40"]
            let few = Namespace.named("few")
            try await withCluster(plan) { cluster in
                for key in Self.keys {
                    _ = try await cluster.client.set(key, to: [1])
                    _ = try await cluster.client.set(key, to: [1], in: few)
                }
                #expect(try await Self.figure("entries", cluster) == 150)
                let before = try #require(
                    try await Self.figure("namespace_entries:few", cluster))
                #expect(before > 10 && before <= 40)
                let file = cluster.configurationFile
                let text = try String(contentsOf: file, encoding: .utf8)
                try Data(text.replacing("entries-max: 40", with: "entries-max: 10").utf8)
                    .write(to: file, options: .atomic)
                try await eventually("ten are left") {
                    try await Self.figure("namespace_entries:few", cluster) == 10
                }
                #expect(try await Self.figure("namespace_entries_max:few", cluster) == 10)
            }
        }

        /// As its users see it: over ZeroMQ, over HTTP, and where an origin is.
        @Test func aNamespaceThatRefusesKeepsWhatItHasAndSaysSo() async throws {
            let origin = try OriginServer { .text("\($0.path) is 1") }
            defer { origin.close() }
            var plan = ClusterPlan()
            plan.nodeCount = 1
            plan.nodeSettings = ["memory: 2MiB"]
            let bounds = ["    memory-max: 20%", "    entries-max: 5", "    when-full: refuse"]
            plan.namespaces =
                ["  flags:"] + bounds + ["  pages:"] + bounds
                + ["    origin:", "      url: \(origin.url)"]
            let (flags, pages) = (Namespace.named("flags"), Namespace.named("pages"))
            try await withGateway(plan) { cluster, gateway in
                let client = cluster.client
                let first = Self.keys[0..<5]
                for key in first { _ = try await client.set(key, to: [1], in: flags) }
                let error = await #expect(throws: CacheError.self) {
                    _ = try await client.set(Self.keys[5], to: [1], in: flags)
                }
                #expect(error?.refusal == .full && error?.code == .refused)
                #expect(error?.message.contains("entries-max") == true, "\(error as Any)")
                let put = try await gateway.curl("/v1/flags/new", ["-T", "-"], input: [1])
                #expect(put.status == 507 && put.problem == "full", "\(put)")
                _ = try await client.set(Self.keys[0], to: [2], in: flags)
                // Much more than the memory: all of it is evicted but what may not be.
                for key in Self.keys {
                    _ = try await client.set(key, to: [UInt8](repeating: 7, count: 50_000))
                }
                for key in first {
                    #expect(try await client.get(key, in: flags) != nil)
                }
                // What is loaded by its caller is not kept, and what it loaded is its.
                let loaded = await client.load(Self.keys[6], in: flags) { _ in LoadedValue([3]) }
                #expect(loaded.bytes == [3] && loaded.notStored?.refusal == .full)

                for key in Self.keys[0..<8] {
                    #expect(try await client.get(key, in: pages)?.isStale == false)
                }
                let asked = origin.requests.count
                for key in Self.keys[0..<8] {
                    #expect(try await client.get(key, in: pages)?.isStale == false)
                }
                #expect(origin.requests.count == asked + 3, "five are kept")
                #expect(try await Self.figure("namespace_entries:pages", cluster) == 5)
                #expect(try await Self.figure("removed_evicted", cluster) ?? 0 > 100)

                _ = try await client.invalidate([Scope(.key(Self.keys[0], in: flags))])
                _ = try await client.set(Self.keys[5], to: [1], in: flags)
            }
        }
    }
}
