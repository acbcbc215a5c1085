import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

extension EndToEndTests {
    /// Keys that are loaded ahead of need, by the command and by the library.
    @Suite(.serialized) struct PrefetchTests {
        private func withOrigin(
            _ settings: [String] = [], topology: ClusterPlan.Topology = .sharded,
            _ body: (Cluster, OriginServer, _ endpoint: String) async throws -> Void
        ) async throws {
            let origin = try OriginServer { request in
                request.path.hasPrefix("none")
                    ? OriginServer.Answer(status: 404) : .text(request.path)
            }
            defer { origin.close() }
            var plan = ClusterPlan(topology)
            plan.namespaces =
                ["  default:", "    origin:", "      url: \(origin.url)"]
                + settings.map { "      \($0)" } + ["  plain:", "    ttl: 60s"]
                + [
                    "  absent:", "    origin:",
                    "      url: http://127.0.0.1:\(try unusedPort())/{key}",
                ]
            try await withCluster(plan) { cluster in
                try await body(
                    cluster, origin, try #require(cluster.ready.publisher.endpoint))
            }
        }

        private func unusedPort() throws -> UInt16 {
            let listener = try TCPSocket.listening()
            defer { listener.close() }
            return listener.port
        }

        private func withFile(
            _ text: String, _ body: (_ path: String, TemporaryDirectory) async throws -> Void
        ) async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let file = directory.file("keys.txt")
            try Data(text.utf8).write(to: file)
            try await body(file.path, directory)
        }

        private static func lines(_ count: Int) -> String {
            (0..<count).map { "k\($0)\n" }.joined()
        }

        @Test func aFileOfKeysIsLoadedAndIsThereAfterwards() async throws {
            try await withOrigin { cluster, origin, endpoint in
                try await withFile(Self.lines(200) + "none:1\n") { path, _ in
                    let arguments = ["prefetch", "--file", path, "--cluster", endpoint]
                    let first = try await Program.run(arguments)
                    #expect(first.code == 0, "\(first)")
                    #expect(first.output == "201 keys: 200 loaded, 0 fresh, 1 absent\n")
                    #expect(origin.requests.count == 201)
                    for number in 0..<200 {
                        let value = try await cluster.client.get(.named("k\(number)"))
                        #expect(value?.bytes == Array("k\(number)".utf8))
                        #expect(value?.tier == .memory && value?.isFenced == true)
                    }
                    let second = try await Program.run(arguments)
                    #expect(second.output == "201 keys: 0 loaded, 200 fresh, 1 absent\n")
                    #expect(origin.requests.count == 201, "nothing was loaded again")
                }
            }
        }

        @Test func replicasAllHaveItAfterwards() async throws {
            try await withOrigin(["coalesce: node"], topology: .replicated) {
                cluster, origin, endpoint in
                let ended = try await Program.run(
                    ["prefetch", "-", "--cluster", endpoint, "--json"], input: "a\nb\n")
                #expect(ended.code == 0, "\(ended)")
                #expect(ended.output.contains("\"loaded\":2"))
                #expect(origin.requests.count == 6, "two keys of three nodes")
                for node in ["n1", "n2", "n3"] {
                    var options = ReadOptions()
                    options.node = NodeID(node)
                    options.policy = .cacheOnly
                    let value = try await cluster.client.get(.named("a"), options: options)
                    #expect(value?.bytes == Array("a".utf8))
                }
            }
        }

        /// The origin takes one at a time. Whoever waits for a value is next.
        @Test func aReaderOvertakesAThousandPrefetches() async throws {
            try await withOrigin(["concurrency: 1", "timeout: 60s"]) { cluster, origin, _ in
                let client = cluster.client
                let node = try #require(NodeID("n1"))
                origin.hold()
                let keys = try (0..<1_000).map { try #require(CacheKey("k\($0)")) }
                let prefetch = Task {
                    var options = PrefetchOptions()
                    options.inFlightMax = 1_000
                    options.node = node
                    return await client.prefetch(keys, options: options)
                }
                try await eventually("a thousand are asked for, and one has got through") {
                    let status = try await client.cluster.status(of: node)
                    return origin.heldCount == 1 && status[0].figures["waiting"] == 1_000
                }
                let options = {
                    var options = ReadOptions()
                    options.node = node
                    return options
                }()
                async let read = client.get(.named("reader"), options: options)
                try await eventually("the reader waits, too") {
                    try await client.cluster.status(of: node)[0].figures["waiting"] == 1_001
                }
                // What the shard asks of origins later is answered: so that has been taken, too.
                await #expect(throws: CacheError.self) {
                    try await client.get(
                        .named("a"), in: .named("absent"), options: options)
                }
                origin.release()
                #expect(try await read?.bytes == Array("reader".utf8))
                #expect(origin.requests[1].path == "reader")
                prefetch.cancel()
                _ = await prefetch.value
            }
        }

        @Test func aRateIsKept() async throws {
            try await withOrigin { _, origin, endpoint in
                try await withFile(Self.lines(31)) { path, _ in
                    let begun = ContinuousClock.now
                    let ended = try await Program.run(
                        ["prefetch", "--file", path, "--rate", "20/s", "--cluster", endpoint])
                    #expect(ended.code == 0, "\(ended)")
                    #expect(ContinuousClock.now - begun >= .milliseconds(1_450))
                    #expect(origin.requests.count == 31)
                }
            }
        }

        @Test func anInterruptedPrefetchSendsNoMoreRequestsAndReportsItsCounts() async throws {
            try await withOrigin(["concurrency: 64"]) { cluster, origin, endpoint in
                try await withFile(Self.lines(500)) { path, directory in
                    origin.hold()
                    let running = try RunningProgram(
                        [
                            "prefetch", "--file", path, "--in-flight", "5", "--cluster", endpoint,
                        ], name: "prefetch", in: directory.url)
                    defer { running.kill() }
                    try await eventually("five are under way") { origin.heldCount == 5 }
                    running.signal(SIGINT)
                    #expect(try await running.ended() == 2)
                    #expect(running.output == "0 keys: 0 loaded, 0 fresh, 0 absent\n")
                    #expect(running.errors.contains("stopped"))
                    origin.release()
                    try await eventually("what was under way has ended") {
                        origin.heldCount == 0
                    }
                    _ = try await cluster.client.get(.named("after"))
                    #expect(origin.requests.count == 6)
                }
            }
        }

        @Test func itGoesOnWhereItIsToldTo() async throws {
            try await withOrigin { _, origin, endpoint in
                let ended = try await Program.run(
                    ["prefetch", "-", "--skip", "3", "--cluster", endpoint],
                    input: "a\n\nc\nd\ne\n")
                #expect(ended.output == "2 keys: 2 loaded, 0 fresh, 0 absent\n", "\(ended)")
                #expect(Set(origin.requests.map(\.path)) == ["d", "e"])
            }
        }

        @Test func whatACommandPrintsIsLoaded() async throws {
            try await withOrigin { _, origin, endpoint in
                let ended = try await Program.run([
                    "prefetch", "--command", "for n in 1 2 3; do echo user:$n; done",
                    "--cluster", endpoint,
                ])
                #expect(ended.code == 0 && ended.output.hasPrefix("3 keys: 3 loaded"), "\(ended)")
                #expect(origin.requests.count == 3)
                let failed = try await Program.run([
                    "prefetch", "--command", "echo user:4; exit 7", "--cluster", endpoint,
                ])
                #expect(failed.code == 4, "\(failed)")
                #expect(failed.errors.contains("the command ended with 7 after 1 line"))
            }
        }

        @Test func whatCannotBeIsSaid() async throws {
            try await withOrigin { _, origin, endpoint in
                let plain = try await Program.run(
                    ["prefetch", "a", "--namespace", "plain", "--cluster", endpoint])
                #expect(plain.code == 4 && plain.errors.contains("plain has no origin"), "\(plain)")
                let missing = try await Program.run(
                    ["prefetch", "--file", "/nowhere/keys.txt", "--cluster", endpoint])
                #expect(missing.code == 65, "\(missing)")
                #expect(missing.errors.contains("cannot read /nowhere/keys.txt: No such file"))
                let empty = try await Program.run(
                    ["prefetch", "-", "--cluster", endpoint], input: "a\n\nb\n")
                #expect(empty.code == 65, "\(empty)")
                #expect(empty.errors.contains("line 2 of standard input is empty"))
                #expect(origin.requestCount(of: "b") == 0)
            }
        }

        /// The hottest of one node become what another one loads.
        @Test func theHottestKeysOfANodeAreLoadedByAnother() async throws {
            try await withOrigin(["coalesce: node"], topology: .replicated) {
                cluster, _, endpoint in
                let client = cluster.client
                var first = ReadOptions()
                first.node = NodeID("n1")
                for number in 0..<40 {
                    let key = try #require(CacheKey("k\(number)"))
                    for _ in 0..<(number < 10 ? 5 : 1) {
                        _ = try await client.get(key, options: first)
                    }
                }
                let hot = try await Program.run([
                    "scan", "--hottest", "10", "--keys", "--node", "n1", "--cluster", endpoint,
                ])
                #expect(
                    Set(hot.output.split(separator: "\n")) == Set((0..<10).map { "k\($0)" }),
                    "\(hot)")
                let loaded = try await Program.run(
                    ["prefetch", "-", "--node", "n2", "--cluster", endpoint], input: hot.output)
                #expect(loaded.output.hasPrefix("10 keys: 10 loaded"), "\(loaded)")
            }
        }
    }
}
