import CacheModel
import Foundation
import MartletClient
import TestSupport
import Threading
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    /// Nodes that tell an origin of their clients' writes, also of those that it did not take at
    /// first, and also if they were killed meanwhile.
    @Suite(.serialized) struct WriteBehindTests {
        /// An origin that can be down, refuses what is called `bad`, and knows repetitions.
        private final class Rows: Sendable {
            struct Write: Equatable, Sendable {
                var path: String
                /// `nil`: it was removed.
                var text: String?
                var name: String
            }

            private struct State {
                var isDown = false
                var rows: [String: String] = [:]
                /// In the order in which they had an effect.
                var writes: [Write] = []
                /// Every time that something was to be written, down or not.
                var told: [Write] = []
            }

            private let state = Guarded(State())

            var writes: [Write] { state.withLock { $0.writes } }
            var told: [Write] { state.withLock { $0.told } }

            func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

            func answer(_ request: OriginServer.Request) -> OriginServer.Answer {
                state.withLock { state in
                    if request.method != "GET" { return Self.write(request, &state) }
                    if state.isDown { return OriginServer.Answer(status: 503) }
                    guard let row = state.rows[request.path] else {
                        return OriginServer.Answer(status: 404)
                    }
                    return .text(row)
                }
            }

            private static func write(
                _ request: OriginServer.Request, _ state: inout State
            ) -> OriginServer.Answer {
                let text = String(decoding: request.body, as: UTF8.self)
                let write = Write(
                    path: request.path, text: request.method == "PUT" ? text : nil,
                    name: request.name ?? "")
                state.told.append(write)
                if state.isDown { return OriginServer.Answer(status: 503) }
                if write.path == "bad" {
                    return OriginServer.Answer(status: 422, body: Array("no good".utf8))
                }
                if !state.writes.contains(where: { $0.name == write.name }) {
                    state.writes.append(write)
                    state.rows[write.path] = write.text
                }
                return OriginServer.Answer(status: 204)
            }
        }

        private func withRows(
            _ topology: ClusterPlan.Topology = .sharded, nodeCount: Int = 1,
            respawn: String? = "100ms",
            _ body: (Cluster, OriginServer, Rows) async throws -> Void
        ) async throws {
            let rows = Rows()
            let origin = try OriginServer { rows.answer($0) }
            defer { origin.close() }
            var plan = ClusterPlan(topology)
            plan.nodeCount = nodeCount
            plan.hasQueues = true
            plan.respawn = respawn
            if topology == .slots {
                (plan.lease, plan.heartbeat, plan.failoverAfter) = ("1s", "200ms", "2s")
            }
            plan.namespaces = [
                "  default:", "    origin:", "      url: \(origin.url)",
                "      write-behind: true", "      retries: 0", "      breaker-pause: 100ms",
            ]
            try await withCluster(plan) { cluster in
                try await body(cluster, origin, rows)
            }
        }

        private func text(_ value: CachedValue?) -> String? {
            value.map { String(decoding: $0.bytes, as: UTF8.self) }
        }

        private func set(_ client: CacheClient, _ key: String, _ text: String) async throws -> Bool
        {
            try await client.set(.named(key), to: Array(text.utf8)).isQueued
        }

        @Test(arguments: [ClusterPlan.Topology.sharded, .replicated])
        func anOriginThatIsThereIsToldAtOnceAndEverybodyIs(
            topology: ClusterPlan.Topology
        ) async throws {
            try await withRows(topology, nodeCount: 3) { cluster, origin, rows in
                let client = cluster.client
                for number in 1...3 {
                    #expect(try await set(client, "a", "\(number)") == false)
                    #expect(text(try await client.get(.named("a"))) == "\(number)")
                }
                #expect(rows.writes.map(\.text) == ["1", "2", "3"])
                #expect(Set(rows.writes.map(\.name)).count == 3)
                _ = try await client.delete([.named("a")])
                #expect(try await client.get(.named("a")) == nil)
                let error = await #expect(throws: CacheError.self) {
                    _ = try await client.set(.named("bad"), to: [1])
                }
                #expect(error?.description.contains("422: no good") == true)
            }
        }

        /// Down, accepted, killed, back: everything arrives, in order, under the names of before.
        @Test func whatWasAcceptedArrivesAlsoIfTheNodeIsKilled() async throws {
            try await withRows { cluster, origin, rows in
                let client = cluster.client
                _ = try await set(client, "a", "0")
                #expect(text(try await client.get(.named("a"))) == "0")
                rows.setDown(true)
                for number in 1...5 { #expect(try await set(client, "a", "\(number)")) }
                for number in 1...5 { #expect(try await set(client, "b\(number)", "x")) }
                #expect(try await set(client, "gone", "1"))
                _ = try await client.delete([.named("gone")])
                #expect(text(try await client.get(.named("a"))) == "5", "what is accepted is seen")
                #expect(try await client.get(.named("gone")) == nil)
                let node = try #require(NodeID("n1"))
                let victim = try cluster.processID(of: node)
                ProcessTable.send(SIGKILL, to: victim)
                try await eventually("the node is back, with its queue", within: .seconds(60)) {
                    (try? await client.cluster.queuedWrites().first?.waitingCount) == 12
                }
                try await eventually("and answers by it", within: .seconds(30)) {
                    let found = try? await client.get(.named("a"))
                    return text(found ?? nil) == "5"
                }
                rows.setDown(false)
                try await eventually("the origin was told", within: .seconds(60)) {
                    (try? await client.cluster.queuedWrites().first?.waitingCount) == 0
                }
                #expect(
                    rows.writes.filter { $0.path == "a" }.map(\.text)
                        == ["0", "1", "2", "3", "4", "5"])
                #expect(rows.writes.filter { $0.path == "gone" }.map(\.text) == ["1", nil])
                #expect(rows.writes.count == 13)
                #expect(Set(rows.writes.map(\.name)).count == 13)
                let names = Dictionary(grouping: rows.told, by: { "\($0.path)=\($0.text ?? "")" })
                #expect(names.values.allSatisfy { Set($0.map(\.name)).count == 1 })
                #expect(text(try await client.get(.named("a"))) == "5")
            }
        }

        /// Queued, read by the journal of a node that was killed, and told to the origin.
        @Test func whatAWritesBytesAreIsKeptInTheQueue() async throws {
            try await withRows { cluster, origin, rows in
                let client = cluster.client
                rows.setDown(true)
                var stored = StoreOptions()
                stored.representation.contentType = RepresentationField("text/css")
                stored.representation.contentLanguage = RepresentationField("de")
                let result = try await client.set(.named("a"), to: [1], options: stored)
                #expect(result.isQueued)
                let node = try #require(NodeID("n1"))
                var options = ReadOptions()
                options.wantsDetails = true
                let detailed = options
                func isShown() async throws -> Bool {
                    let found = try await client.get(.named("a"), options: detailed)
                    return found?.bytes == [1] && found?.representation == stored.representation
                }
                #expect(try await isShown())
                ProcessTable.send(SIGKILL, to: try cluster.processID(of: node))
                try await eventually("the node is back, and answers by its queue") {
                    try await isShown()
                }
                rows.setDown(false)
                try await eventually("the origin was told", within: .seconds(60)) {
                    (try? await client.cluster.queuedWrites().first?.waitingCount) == 0
                }
                let told = try #require(origin.requests.last { $0.method == "PUT" })
                #expect(told.contentType == "text/css" && told.body == [1])
            }
        }

        @Test func aWriteThatIsRejectedLaterIsShown() async throws {
            try await withRows { cluster, origin, rows in
                let client = cluster.client
                rows.setDown(true)
                #expect(try await set(client, "bad", "1"))
                #expect(text(try await client.get(.named("bad"))) == "1")
                rows.setDown(false)
                try await eventually("it is rejected", within: .seconds(60)) {
                    (try? await client.cluster.queuedWrites().first?.rejectedCount) == 1
                }
                #expect(try await client.get(.named("bad")) == nil)
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let shown = try await Program.run(["queue", "--cluster", endpoint])
                #expect(shown.code == 2 && shown.output.contains("rejected: 422 no good"))
                let dropped = try await Program.run(
                    ["queue", "drop", "--of", "bad", "--cluster", endpoint])
                #expect(dropped.code == 0 && dropped.output.contains("1 write forgotten"))
                let left = try await client.cluster.queuedWrites()
                #expect(left.first?.rejectedCount == 0)
            }
        }

        // MARK: Slots

        private func waitingCounts(_ client: CacheClient) async throws -> [String: Int] {
            let queues = try await client.cluster.queuedWrites()
            return Dictionary(uniqueKeysWithValues: queues.map { ($0.node.name, $0.waitingCount) })
        }

        private func waitingCount(
            _ client: CacheClient, of nodes: [NodeID]
        ) async throws -> Int {
            var count = 0
            for node in nodes {
                let queues = try await client.cluster.queuedWrites(of: node)
                count += queues.reduce(0) { $0 + $1.waitingCount }
            }
            return count
        }

        /// Drained while the origin is away: the others take its queue over, and answer by it.
        @Test func queuedWritesMoveToTheNewOwnersOfTheirKeys() async throws {
            try await withRows(.slots, nodeCount: 3, respawn: nil) { cluster, origin, rows in
                let client = cluster.client
                rows.setDown(true)
                let keys = (1...40).map { "k\($0)" }
                for key in keys { #expect(try await set(client, key, "1")) }
                for key in keys { #expect(try await set(client, key, "2")) }
                let before = try await waitingCounts(client)
                #expect(before.values.reduce(0, +) == 80 && (before["n2"] ?? 0) > 10)
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let drained = try await Program.run(["drain", "n2", "--cluster", endpoint])
                #expect(drained.code == 0, "\(drained)")
                let left = try [#require(NodeID("n1")), #require(NodeID("n3"))]
                #expect(try await waitingCount(client, of: left) == 80)
                for key in keys { #expect(text(try await client.get(.named(key))) == "2") }
                let shown = try await Program.run(["queue", "--cluster", endpoint])
                #expect(shown.code == 2 && shown.output.contains("n2 does not answer"), "\(shown)")
                #expect(shown.output.contains("waits"), "\(shown)")
                rows.setDown(false)
                try await eventually("the origin was told", within: .seconds(60)) {
                    try await waitingCount(client, of: left) == 0
                }
                for key in keys {
                    #expect(rows.writes.filter { $0.path == key }.map(\.text) == ["1", "2"])
                }
                for node in left {
                    let queues = try await client.cluster.queuedWrites(of: node)
                    #expect(queues.allSatisfy { $0.rejectedCount == 0 })
                }
            }
        }

        /// Killed with its queue: others own its keys, and some are written anew.
        @Test func aNodeThatReturnsOffersItsQueuedWritesAndNoneOvertakesANewerOne() async throws {
            try await withRows(.slots, nodeCount: 3, respawn: nil) { cluster, origin, rows in
                let client = cluster.client
                rows.setDown(true)
                let keys = (1...40).map { "k\($0)" }
                for key in keys { #expect(try await set(client, key, "old")) }
                let victim = try #require(NodeID("n2"))
                let count = try await waitingCounts(client)[victim.name] ?? 0
                #expect(count > 4)
                ProcessTable.send(SIGKILL, to: try cluster.processID(of: victim))
                rows.setDown(false)
                try await eventually("the others told the origin of theirs", within: .seconds(60)) {
                    rows.writes.count == 40 - count
                }
                let missing = keys.filter { key in !rows.writes.contains { $0.path == key } }
                let anew = Array(missing.prefix(count / 2))
                for key in anew {
                    try await eventually("\(key) has another owner") {
                        try await set(client, key, "new") == false
                    }
                }
                let again = try RunningProgram(
                    ["node", "--id", victim.name, "--config", cluster.configurationFile.path],
                    name: "n2-again", in: cluster.directory.url)
                defer { again.kill() }
                try await eventually("its other writes arrive", within: .seconds(60)) {
                    missing.allSatisfy { key in rows.writes.contains { $0.path == key } }
                }
                for key in anew {
                    #expect(rows.writes.filter { $0.path == key }.map(\.text) == ["new"])
                }
                try await eventually("and the overtaken ones are shown") {
                    let queues = try await client.cluster.queuedWrites()
                    return queues.first { $0.node == victim }?.rejectedCount == anew.count
                }
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let shown = try await Program.run(["queue", "--cluster", endpoint])
                #expect(shown.code == 2 && shown.output.contains("rejected: overtaken"), "\(shown)")
                let retried = try await Program.run([
                    "queue", "retry", "--of", anew[0], "--cluster", endpoint,
                ])
                #expect(retried.code == 0, "\(retried)")
                try await eventually("an operator has one written all the same") {
                    rows.writes.filter { $0.path == anew[0] }.map(\.text) == ["new", "old"]
                }
            }
        }
    }
}
