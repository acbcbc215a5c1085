import CacheModel
import Foundation
import MartletClient
import TestSupport
import Testing

extension EndToEndTests {
    /// A publisher that hangs, and nodes that have an origin.
    @Suite(.serialized) struct SuspectWindowTests {
        private func withOrigin(
            _ settings: [String] = [], _ body: (Cluster, OriginServer) async throws -> Void
        ) async throws {
            let origin = try OriginServer { .text("\($0.path) is 1") }
            defer { origin.close() }
            var plan = ClusterPlan()
            plan.lease = "1s"
            plan.heartbeat = "100ms"
            plan.namespaces =
                ["  default:"] + settings.map { "    \($0)" }
                + ["    origin:", "      url: \(origin.url)"]
            try await withCluster(plan) { cluster in try await body(cluster, origin) }
        }

        private static let keys = (0..<20).map { CacheKey.named("k\($0)") }

        /// Has every key loaded, stops the publisher and waits until the nodes know.
        private func lose(_ cluster: Cluster) async throws {
            for key in Self.keys { #expect(try await cluster.client.get(key) != nil) }
            try await ProcessTable.stop(cluster.ready.publisher.pid)
            try await eventually("the nodes are suspect") {
                var count = 0
                for key in Self.keys {
                    let state = try? await cluster.client.get(key)?.state
                    count += state == .suspect ? 1 : 0
                }
                return count == Self.keys.count
            }
        }

        @Test func whatIsHeldIsServedAndTheOriginIsNotAsked() async throws {
            try await withOrigin { cluster, origin in
                defer { ProcessTable.send(SIGCONT, to: cluster.ready.publisher.pid) }
                try await lose(cluster)
                #expect(origin.requests.count == Self.keys.count, "each was loaded once")
                for _ in 0..<20 {
                    for key in Self.keys {
                        let value = try await cluster.client.get(key)
                        #expect(value?.isStale == true && value?.isSoftInvalidated == false)
                    }
                }
                for key in Self.keys {
                    let value = await cluster.client.load(key) { _ in
                        Issue.record("the application's database is asked")
                        return LoadedValue([])
                    }
                    #expect(value.isStale && value.state == .suspect && !value.bytes.isEmpty)
                }
                #expect(origin.requests.count == Self.keys.count)
                #expect(try await cluster.client.get(.named("new"))?.isStale == false)
                #expect(origin.requests.count == Self.keys.count + 1, "what is not held is loaded")
                ProcessTable.send(SIGCONT, to: cluster.ready.publisher.pid)
                try await eventually("all is fresh again") {
                    guard let values = try? await cluster.client.get(Self.keys) else {
                        return false
                    }
                    return values.allSatisfy { $0?.isStale == false }
                }
                #expect(origin.requests.count == Self.keys.count + 1)
            }
        }

        @Test func afterTheWindowEachKeyIsAskedAboutOnceASecond() async throws {
            try await withOrigin(["suspect-window: 0s"]) { cluster, origin in
                defer { ProcessTable.send(SIGCONT, to: cluster.ready.publisher.pid) }
                try await lose(cluster)
                let (before, began) = (origin.requests.count, ContinuousClock.now)
                var reads = 0
                while began.duration(to: .now) < .milliseconds(1_500) {
                    for key in Self.keys {
                        #expect(try await cluster.client.get(key) != nil)
                        reads += 1
                    }
                }
                let seconds = Int(began.duration(to: .now) / .seconds(1)) + 1
                let asked = origin.requests.count - before
                #expect(asked > 0 && asked <= seconds * Self.keys.count)
                #expect(reads > 2 * seconds * Self.keys.count, "else it shows nothing")
            }
        }

        @Test func aClusterThatSaysRevalidateAsksAsBefore() async throws {
            try await withOrigin(["suspect: revalidate"]) { cluster, origin in
                defer { ProcessTable.send(SIGCONT, to: cluster.ready.publisher.pid) }
                try await lose(cluster)
                let before = origin.requests.count
                for key in Self.keys {
                    #expect(try await cluster.client.get(key)?.isStale == false)
                }
                #expect(origin.requests.count == before + Self.keys.count)
            }
        }
    }
}
