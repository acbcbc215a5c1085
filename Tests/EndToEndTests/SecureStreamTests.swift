import CacheModel
import MartletClient
import Testing
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    /// What a key that may read a part hears of the invalidations, with real processes: scenario
    /// 43, docs/decisions/0058.
    @Suite(.serialized) struct SecureStreamTests {
        private static func secured(
            _ story: (Cluster, SecureDoor) async throws -> Void
        ) async throws {
            var plan = ClusterPlan()
            plan.isSecure = true
            plan.nodeCount = 2
            plan.respawn = "100ms"
            try await withCluster(plan) { cluster in
                let door = try SecureDoor(cluster)
                try await door.add("web", roles: "read", patterns: "default/img%3A")
                try await door.waitUntilKnown("web")
                try await story(cluster, door)
            }
        }

        private static let mine = Scope(.prefix(Array("img:".utf8), in: .default))

        private static func key(_ name: String) -> Scope {
            Scope(.key(.named(name), in: .default))
        }

        @Test func aStreamCarriesOnlyReadableScopesAndFailsOnceAccessEnds() async throws {
            try await Self.secured { cluster, door in
                let client = try door.client("web")
                let begin = try await cluster.client.invalidate([Self.key("before")])
                let stream = try await client.invalidations(from: begin.position)
                #expect(stream.isPartial && stream.failure == nil)
                let heard = Heard()
                let reading = Task { for await event in stream { await heard.note(event) } }

                let said = [
                    Self.key("img:1"), Self.key("other"), Scope(.tag(.named("t"), in: .default)),
                    Scope(.prefix(Array("im".utf8), in: .default)), Scope(.namespace(.default)),
                    Scope(.everything),
                ]
                var expected: [Heard.Line] = []
                let shown = [said[0], nil, Self.mine, Self.mine, Self.mine, said[5]]
                for (scope, shown) in zip(said, shown) {
                    let position = try await cluster.client.invalidate([scope]).position
                    if let shown { expected.append(.init(position: position, scopes: [shown])) }
                }
                try await eventually("all of it is heard") {
                    await heard.lines.count >= expected.count
                }
                #expect(await heard.lines == expected)

                // The publisher is killed; its log is on disk.
                ProcessTable.send(SIGKILL, to: cluster.ready.publisher.pid)
                try await eventually("the publisher is there again") {
                    cluster.up.errors.contains("publisher started again")
                }
                try await eventually("it answers") {
                    _ = try await cluster.client.cluster.publisherStatus()
                    return true
                }
                for name in ["other", "img:2"] {
                    let receipt = try await cluster.client.invalidate(
                        [Self.key(name)], timeout: .seconds(20))
                    guard name != "other" else { continue }
                    expected.append(
                        .init(position: receipt.position, scopes: [Self.key(name)]))
                }
                try await eventually("what came after is heard") {
                    await heard.lines.count >= expected.count
                }
                #expect(await heard.lines == expected)
                #expect(await heard.lostCount == 0)

                try door.remove("web")
                await reading.value
                #expect(stream.failure?.code == .unauthorised)
                _ = try await cluster.client.invalidate([Self.key("img:3")])
                #expect(await heard.lines == expected)
                await client.close()
            }
        }

        @Test func aClientWithoutTheReadRoleIsRefusedTheStream() async throws {
            try await Self.secured { _, door in
                try await door.add("writer", roles: "write", patterns: "default/img%3A")
                // Who is turned away at the first handshake is not let in by the same socket later.
                try await eventually("it is let in") {
                    let answer = try await door.run("writer", "get", "img:0", "--timeout", "500ms")
                    return answer.code == 4
                }
                let client = try door.client("writer")
                try await eventually("it is refused for want of the role") {
                    do throws(CacheError) {
                        _ = try await client.invalidations()
                        return false
                    } catch {
                        return error.code == .unauthorised && error.message.contains("role read")
                    }
                }
                await client.close()
            }
        }

        /// Whoever listens on the live channel and loses a part of its rights sees that part on.
        @Test func aLiveStreamGoesOnWithThePartThatIsLeft() async throws {
            try await Self.secured { cluster, door in
                try await door.add("all", roles: "read", patterns: "*")
                try await door.waitUntilKnown("all")
                let client = try door.client("all")
                let begin = try await cluster.client.invalidate([Self.key("before")])
                let stream = try await client.invalidations(from: begin.position)
                let heard = Heard()
                let reading = Task { for await event in stream { await heard.note(event) } }
                let first = try await cluster.client.invalidate([Self.key("other")])
                try await eventually("it hears all") { await heard.lines.count == 1 }
                #expect(!stream.isPartial)

                let lines = try door.list().split(separator: "\n").map { line in
                    line.hasPrefix("all ") ? line.replacing(" *", with: " default/img:") : line[...]
                }
                try door.write(lines.joined(separator: "\n") + "\n")
                try await eventually("it sees a part") { stream.isPartial }
                _ = try await cluster.client.invalidate([Self.key("other")])
                let last = try await cluster.client.invalidate([Self.key("img:1")])
                try await eventually("it hears its own") { await heard.lines.count >= 2 }
                #expect(
                    await heard.lines == [
                        .init(position: first.position, scopes: [Self.key("other")]),
                        .init(position: last.position, scopes: [Self.key("img:1")]),
                    ])
                await client.close()
                await reading.value
                #expect(stream.failure == nil)
            }
        }

        @Test func tailShowsAPartAndSaysSo() async throws {
            try await Self.secured { cluster, door in
                let begin = try await cluster.client.invalidate([Self.key("img:0")])
                let tail = try RunningProgram(
                    [
                        "tail", "--no-receipts", "--from", "\(begin.position)", "--cluster",
                        door.endpoint, "--key", door.key("web"),
                    ], name: "tail", in: cluster.directory.url)
                defer { tail.kill() }
                try await eventually("it says that it is a part") {
                    tail.errors.contains("your key may read a part of this cluster")
                }
                _ = try await cluster.client.invalidate([Scope(.tag(.named("t"), in: .default))])
                try await eventually("a line") { tail.output.contains("prefix img:") }
                #expect(!tail.output.contains("tag t"))
                try door.remove("web")
                try await eventually("it ends and says why") {
                    tail.errors.contains("your key may not follow invalidations any more")
                }
            }
        }

        private actor Heard {
            struct Line: Hashable {
                let position: LogPosition
                let scopes: [Scope]
            }

            private(set) var lines: [Line] = []
            private(set) var lostCount = 0

            func note(_ event: InvalidationStream.Event) {
                switch event {
                case .record(let record):
                    lines.append(Line(position: record.position, scopes: Array(record.scopes)))
                case .lost: lostCount += 1
                case .heartbeat: break
                }
            }
        }
    }
}
