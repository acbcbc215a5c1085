import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport
import Threading

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    /// A request of the outside, followed through gateway, node, publisher and origin.
    @Suite(.serialized) struct TracingTests {
        private static let id = "4bf92f3577b34da6a3ce929d0e0e4736"
        private static let given = [
            "-H", "traceparent: 00-\(id)-00f067aa0ba902b7-01", "-H", "tracestate: vendor=1",
        ]

        /// A gateway before a cluster whose nodes load from an origin, and log what is slow.
        private static func withOrigin(
            _ topology: ClusterPlan.Topology = .sharded, isJSON: Bool = false,
            _ story: (Cluster, Gateway, OriginServer) async throws -> Void
        ) async throws {
            let origin = try OriginServer { .text("\($0.path) is here") }
            defer { origin.close() }
            var plan = ClusterPlan(topology)
            plan.namespaces = ["  images:", "    origin:", "      url: \(origin.url)"]
            plan.environment = ["MARTLET_SLOW_LOG": "100ms", "MARTLET_LOG_NAMES": "clear"]
            if isJSON { plan.environment["MARTLET_LOG_FORMAT"] = "json" }
            let format = isJSON ? ["--log-format", "json"] : []
            try await withGateway(plan, ["--slow-log", "100ms", "--log-names", "hashed"] + format) {
                try await story($0, $1, origin)
            }
        }

        @Test(arguments: ClusterPlan.Topology.shardedAndReplicated)
        func anOriginReceivesTheTraceOfARead(topology: ClusterPlan.Topology) async throws {
            try await Self.withOrigin(topology) { _, gateway, origin in
                let answer = try await gateway.curl("/v1/images/traced", Self.given)
                #expect(answer.text == "traced is here")
                #expect(answer.fields["martlet-request-id"] == Self.id)
                #expect(answer.fields["traceparent"]?.hasPrefix("00-\(Self.id)-") == true)
                let request = try #require(origin.requests.first { $0.path == "traced" })
                let trace = try #require(request.trace)
                #expect(trace.hasPrefix("00-\(Self.id)-") && trace.hasSuffix("-01"))
                // It is the gateway that asks now.
                #expect(
                    trace == answer.fields["traceparent"] && !trace.contains("00f067aa0ba902b7"))
                #expect(request.traceState == "vendor=1")
            }
        }

        /// A write that the origin takes at once, and one that waits, also through the end of the
        /// node that has it: the origin is told whose each is.
        @Test func anOriginReceivesTheTraceOfAnImmediateOrQueuedWrite() async throws {
            let isDown = Guarded(false)
            let origin = try OriginServer { _ in
                OriginServer.Answer(status: isDown.withLock { $0 } ? 503 : 204)
            }
            defer { origin.close() }
            var plan = ClusterPlan()
            (plan.nodeCount, plan.hasQueues, plan.respawn) = (1, true, "100ms")
            plan.namespaces = [
                "  images:", "    origin:", "      url: \(origin.url)",
                "      write-behind: true", "      retries: 0", "      breaker-pause: 100ms",
            ]
            try await withGateway(plan) { cluster, gateway in
                func trace(of method: String, _ path: String) -> OriginServer.Request? {
                    origin.requests.last { $0.method == method && $0.path == path }
                }
                let put = ["-T", "-"] + Self.given
                let written = try await gateway.curl("/v1/images/at-once", put, input: [65])
                #expect(written.status < 300)
                let request = try #require(trace(of: "PUT", "at-once"))
                #expect(request.trace == written.fields["traceparent"])
                #expect(request.trace?.hasPrefix("00-\(Self.id)-") == true)
                #expect(request.traceState == "vendor=1")
                let removed = try await gateway.curl(
                    "/v1/images/at-once", ["-X", "DELETE"] + Self.given)
                #expect(removed.status < 300)
                #expect(trace(of: "DELETE", "at-once")?.trace == removed.fields["traceparent"])
                // One without a trace has the one that the gateway began.
                let own = try await gateway.curl("/v1/images/own", ["-T", "-"], input: [65])
                let id = try #require(own.fields["martlet-request-id"])
                #expect(trace(of: "PUT", "own")?.trace?.hasPrefix("00-\(id)-") == true)
                isDown.withLock { $0 = true }
                let queued = try await gateway.curl("/v1/images/later", put, input: [66])
                #expect(queued.status < 300)
                let node = try #require(NodeID("n1"))
                ProcessTable.send(SIGKILL, to: try cluster.processID(of: node))
                try await eventually("the node is back", within: .seconds(60)) {
                    (try? await cluster.client.cluster.queuedWrites().first?.waitingCount) == 1
                }
                let before = origin.requests.count
                isDown.withLock { $0 = false }
                try await eventually("it is told again", within: .seconds(60)) {
                    origin.requests.dropFirst(before).contains { $0.path == "later" }
                }
                let told = try #require(trace(of: "PUT", "later"))
                #expect(told.trace == queued.fields["traceparent"])
                #expect(told.trace?.hasPrefix("00-\(Self.id)-") == true)
            }
        }

        @Test func withoutATraceOneBeginsAndReadsDoNotCarryIt() async throws {
            try await Self.withOrigin { _, gateway, origin in
                var ids: Set<String> = []
                let wrong = [
                    [], ["-H", "traceparent: nonsense"],
                    ["-H", "traceparent: 00-\(Self.id.uppercased())-00f067aa0ba902b7-01"],
                    ["-H", "traceparent: ff-\(Self.id)-00f067aa0ba902b7-01"],
                    Self.given + ["-H", "traceparent: 00-\(Self.id)-00f067aa0ba902b8-01"],
                    ["-H", "traceparent: " + String(repeating: "0", count: 5_000)],
                ]
                for (number, fields) in wrong.enumerated() {
                    let answer = try await gateway.curl("/v1/images/wrong\(number)", fields)
                    #expect(answer.status == 200, "\(fields)")
                    let id = try #require(answer.fields["martlet-request-id"])
                    #expect(id.count == 32 && id != Self.id && answer.fields["traceparent"] == nil)
                    ids.insert(id)
                }
                #expect(ids.count == wrong.count)
                #expect(origin.requests.allSatisfy { $0.trace == nil })
                // Refusals are answered with one, too.
                let refused = try await gateway.curl("/v1/%zz/a", Self.given)
                #expect(refused.status == 400)
                #expect(refused.fields["martlet-request-id"] == Self.id)
            }
        }

        @Test(arguments: [false, true])
        func whatIsSlowIsLoggedWithItsTrace(isJSON: Bool) async throws {
            try await Self.withOrigin(isJSON: isJSON) { cluster, gateway, origin in
                origin.hold()
                async let asked = gateway.curl("/v1/images/slow%20one", Self.given)
                try await eventually("the origin is asked") { origin.heldCount > 0 }
                let start = ContinuousClock.now
                try await eventually("it takes long") {
                    ContinuousClock.now - start > .milliseconds(150)
                }
                origin.release()
                #expect(try await asked.status == 200)
                let words =
                    isJSON
                    ? ["\"operation\":\"", "\"request_id\":\"\(Self.id)\"", "\"level\":\"notice\""]
                    : ["a slow operation", "request_id=\(Self.id)"]
                let ofNode =
                    words
                    + (isJSON
                        ? ["\"key\":\"slow%20one\"", "\"origin_ms\":", "\"operation\":\"get\""]
                        : ["key=slow%20one", "origin_ms=", "operation=get"])
                let ofGateway =
                    words
                    + (isJSON
                        ? ["\"key_hash\":\"", "\"status\":\"200\""] : ["key_hash=", "status=200"])
                func has(_ log: String, _ words: [String]) -> Bool {
                    log.split(separator: "\n").contains { line in
                        words.allSatisfy { line.contains($0) }
                    }
                }
                try await eventually("a node's log has it") {
                    has(cluster.logs, ofNode)
                }
                try await eventually("the gateway's log has it") {
                    has(gateway.program.errors, ofGateway)
                }
                // What is fast has no line.
                let quick = try await gateway.curl("/v1/images/slow%20one", Self.given)
                #expect(quick.status == 200)
                #expect(!gateway.program.errors.contains("slow%20one"))
            }
        }

        @Test func aSampledGatewayRequestIsLoggedWithItsKeyAndSource() async throws {
            try await withGateway(
                ClusterPlan(), ["--sample-log", "1/1", "--log-names", "clear"]
            ) { _, gateway in
                _ = try await gateway.curl("/v1/default/sampled", ["-T", "-"], input: [65])
                let answer = try await gateway.curl("/v1/default/sampled", Self.given)
                #expect(answer.text == "A")
                let words = [
                    "a sampled operation", "key=sampled", "cache=Martlet; hit",
                    "request_id=\(Self.id)", "status=200",
                ]
                try await eventually("the log has it") {
                    gateway.program.errors.split(separator: "\n").contains { line in
                        words.allSatisfy { line.contains($0) }
                    }
                }
            }
        }
    }
}
