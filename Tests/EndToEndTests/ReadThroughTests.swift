import CacheModel
import Foundation
import MartletClient
import TestSupport
import Threading
import Testing

extension EndToEndTests {
    /// Nodes that load what they do not have, from an origin over HTTP.
    @Suite(.serialized) struct ReadThroughTests {
        /// An origin whose rows change.
        private final class Rows: Sendable {
            private let versions = Guarded<[String: Int]>([:])

            func version(of path: String) -> Int { versions.withLock { $0[path] ?? 1 } }
            func change(_ path: String) { versions.withLock { $0[path, default: 1] += 1 } }

            func answer(_ request: OriginServer.Request) -> OriginServer.Answer {
                guard !request.path.hasPrefix("none") else {
                    return OriginServer.Answer(status: 404)
                }
                let etag = "\"\(request.path)-\(version(of: request.path))\""
                guard request.validator != etag else {
                    return OriginServer.Answer(status: 304, fields: ["ETag: \(etag)"])
                }
                return .text(
                    "\(request.path) is \(version(of: request.path))", "ETag: \(etag)",
                    "Surrogate-Key: rows")
            }
        }

        private func withOrigin(
            _ settings: [String] = [],
            _ body: (Cluster, OriginServer, Rows) async throws -> Void
        ) async throws {
            let rows = Rows()
            let origin = try OriginServer { rows.answer($0) }
            defer { origin.close() }
            var plan = ClusterPlan()
            plan.namespaces =
                ["  default:", "    origin:", "      url: \(origin.url)"]
                + settings.map { "      \($0)" }
            try await withCluster(plan) { cluster in
                try await body(cluster, origin, rows)
            }
        }

        private static func key(_ text: String) -> Scope {
            Scope(.key(.named(text), in: .default))
        }

        private func text(_ value: CachedValue?) -> String? {
            value.map { String(decoding: $0.bytes, as: UTF8.self) }
        }

        @Test func whatIsNotThereIsLoadedOnceAndKept() async throws {
            try await withOrigin { cluster, origin, _ in
                let client = cluster.client
                let first = try await client.get(.named("a"))
                #expect(text(first) == "a is 1" && first?.tier == .origin)
                let second = try await client.get(.named("a"))
                #expect(text(second) == "a is 1" && second?.tier == .memory)
                #expect(second?.isFenced == true && second?.isStale == false)
                #expect(origin.requests.count == 1)
                #expect(try await client.get(.named("none")) == nil)
                #expect(try await client.get(.named("none")) == nil)
                #expect(origin.requestCount(of: "none") == 1, "that there is none is kept, too")
            }
        }

        /// A question by POST, under a token that changes in its file while the cluster runs.
        @Test func anOriginTokenFileIsReadAgainAfterARefusal() async throws {
            let secrets = try TemporaryDirectory("secrets")
            try secrets.write("first\n", to: "api-token")
            let valid = Guarded("Bearer first")
            let origin = try OriginServer { request in
                guard request.authorization == valid.withLock(\.self) else {
                    return OriginServer.Answer(status: 401)
                }
                let body = String(decoding: request.body, as: UTF8.self)
                return .text("\(request.method) \(request.path) \(body)")
            }
            defer { origin.close() }
            var plan = ClusterPlan()
            plan.environment["MARTLET_SECRETS_DIRECTORY"] = secrets.path
            plan.namespaces = [
                "  default:", "    origin:",
                "      url: \(origin.url.replacing("{key}", with: "find"))", "      method: POST",
                #"      body: '{"id":"{key}"}'"#,
                "      headers: {authorization: 'Bearer ${file:api-token}'}",
            ]
            try await withCluster(plan) { cluster in
                let client = cluster.client
                #expect(text(try await client.get(.named("a"))) == #"POST find {"id":"a"}"#)
                valid.withLock { $0 = "Bearer second" }
                await #expect(throws: CacheError.self) { try await client.get(.named("b")) }
                try secrets.write("second\n", to: "api-token")
                // A file is read at most ten times a second.
                try await eventually("the new token is read") {
                    text(try await client.get(.named("c"))) == #"POST find {"id":"c"}"#
                }
                // By every node, in its own time.
                try await eventually("another key is read under it") {
                    text(try await client.get(.named("d"))) == #"POST find {"id":"d"}"#
                }
            }
        }

        @Test func thousandsOfReadersOfOneKeyAreOneRequest() async throws {
            try await withOrigin { cluster, origin, _ in
                let client = cluster.client
                origin.hold()
                let found = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<3_000 {
                        group.addTask {
                            try await client.get(.named("hot"))?.bytes == Array("hot is 1".utf8)
                        }
                    }
                    try await eventually("the load has reached the origin") {
                        origin.heldCount == 1
                    }
                    origin.release()
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(found == 3_000)
                #expect(origin.requests.count == 1)
            }
        }

        /// The client asks again and again while the load is under way, and shares it each time.
        @Test func aSlowOriginIsWaitedForAsLongAsTheReaderSays() async throws {
            try await withOrigin { cluster, origin, _ in
                origin.hold()
                var options = ReadOptions()
                options.timeout = .seconds(30)
                async let slow = cluster.client.get(.named("slow"), options: options)
                try await eventually("the reader has asked twice") {
                    var waits: UInt64 = 0
                    for node in cluster.view.nodes {
                        for shard in try await cluster.client.cluster.status(of: node) {
                            waits += shard.figures["load_waits"] ?? 0
                        }
                    }
                    return waits >= 2
                }
                origin.release()
                #expect(text(try await slow) == "slow is 1")
                #expect(origin.requests.count == 1)
            }
        }

        /// Commit, invalidate, and a load that had read before.
        @Test func aLoadThatAnInvalidationOvertakesIsNotKept() async throws {
            try await withOrigin { cluster, origin, rows in
                let client = cluster.client
                origin.hold()
                async let early = client.get(.named("a"))
                try await eventually("the load has read the old row") { origin.heldCount == 1 }
                rows.change("a")
                let receipt = try await client.invalidate([Self.key("a")], wait: .all)
                #expect(receipt.isComplete)
                async let late = client.get(.named("a"))
                try await eventually("a new load has begun") { origin.heldCount == 2 }
                origin.release()
                let (old, new) = try await (early, late)
                #expect(text(old) == "a is 1" && old?.isOvertaken == true)
                #expect(text(new) == "a is 2" && new?.isOvertaken == false)
                #expect(text(try await client.get(.named("a"))) == "a is 2")
                #expect(origin.requests.count == 2)
            }
        }

        @Test func whatASoftInvalidationCoversIsConfirmedByTheOrigin() async throws {
            try await withOrigin { cluster, origin, rows in
                let client = cluster.client
                for key in ["a", "b"] { _ = try await client.get(.named(key)) }
                rows.change("b")
                _ = try await client.invalidate(
                    [Scope(.tag(try #require(Tag("rows")), in: .default))], wait: .all,
                    strength: .soft)
                #expect(text(try await client.get(.named("a"))) == "a is 1")
                #expect(text(try await client.get(.named("b"))) == "b is 2")
                #expect(origin.requests.filter { $0.validator != nil }.count == 2)
                #expect(try await client.get(.named("a"))?.tier == .memory)
                #expect(origin.requests.count == 4)
            }
        }

        @Test func whileTheOriginIsDownStaleValuesAnswerAndInvalidatedOnesFail() async throws {
            let settings = ["lifetime: answer", "stale-if-error: 1h", "retries: 0"]
            try await withOrigin(settings) { cluster, origin, _ in
                let client = cluster.client
                for key in ["a", "b"] { _ = try await client.get(.named(key)) }
                origin.close()
                _ = try await client.invalidate(
                    [Self.key("a")], wait: .all, strength: .soft)
                let stale = try await client.get(.named("a"))
                #expect(text(stale) == "a is 1" && stale?.isStale == true)
                #expect(stale?.isSoftInvalidated == true)
                _ = try await client.invalidate([Self.key("b")], wait: .all)
                let error = await #expect(throws: CacheError.self) {
                    _ = try await client.get(.named("b"))
                }
                #expect(error?.code == .loadFailed)
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let ended = try await Program.run(["get", "b", "--cluster", endpoint])
                #expect(ended.code == 3, "\(ended.errors)")
                #expect(ended.errors.contains("origin"))
            }
        }

        @Test func anAnswerThatIsCutIsNoValue() async throws {
            let origin = try OriginServer { request in
                var answer = OriginServer.Answer.text("a long answer that is cut")
                answer.cutAfter = 5
                return answer
            }
            defer { origin.close() }
            var plan = ClusterPlan()
            plan.namespaces = [
                "  default:", "    origin: {url: \"\(origin.url)\", retries: 0}",
            ]
            try await withCluster(plan) { cluster in
                let error = await #expect(throws: CacheError.self) {
                    _ = try await cluster.client.get(.named("a"))
                }
                #expect(error?.loadFailure == .unreachable)
            }
        }

        /// A value that takes several frames is loaded whole and read part by part.
        @Test func aLongValueIsLoaded() async throws {
            let long = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 9) }
            let origin = try OriginServer { _ in OriginServer.Answer(body: long) }
            defer { origin.close() }
            var plan = ClusterPlan()
            plan.namespaces = ["  default:", "    origin: \(origin.url)"]
            try await withCluster(plan) { cluster in
                let value = try await cluster.client.get(.named("long"))
                #expect(value?.bytes == long)
                #expect(origin.requests.count == 1)
            }
        }
    }
}
