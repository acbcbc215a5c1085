import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport

extension EndToEndTests {
    /// Clusters that ask who connects, with real processes and files.
    @Suite(.serialized) struct SecureClusterTests {
        private static func secured(
            _ story: (Cluster, SecureDoor) async throws -> Void
        ) async throws {
            var plan = ClusterPlan()
            plan.isSecure = true
            plan.nodeCount = 2
            try await withCluster(plan) { cluster in
                try await story(cluster, SecureDoor(cluster))
            }
        }

        @Test func aListedPublicKeyMayDoExactlyWhatItsRolesAllow() async throws {
            try await Self.secured { _, door in
                #expect(try await door.run("admin", "set", "img:1", "one").code == 0)
                #expect(try await door.run("app", "set", "other", "two").code == 0)
                #expect(try await door.run("app", "get", "img:1").output == "one\n")
                let status = try await door.run("app", "status")
                #expect(status.errors.contains("it takes the role metrics"), "\(status)")
                #expect(status.code == 4 && status.output.contains("DENIED"), "\(status)")
                let drain = try await door.run("app", "drain", "n1")
                #expect(drain.code == 4 && drain.errors.contains("the role admin"), "\(drain)")

                try await door.add("web", roles: "read", patterns: "default/img%3A")
                try await door.waitUntilKnown("web")
                let both = try await door.run("web", "get", "img:1", "other", "--json")
                #expect(both.code == 4, "\(both)")
                #expect(both.output.contains(#""key":"img:1","found":true"#), "\(both)")
                #expect(both.errors.contains("it takes the role read"), "\(both)")
                let set = try await door.run("web", "set", "img:1", "x")
                #expect(set.code == 4 && set.errors.contains("the role write"), "\(set)")
            }
        }

        @Test func strangersAreToldWhatKeepsThemOut() async throws {
            try await Self.secured { _, door in
                try await door.make("stranger")
                let stranger = try await door.run("stranger", "status", "--timeout", "500ms")
                #expect(stranger.code == 3, "\(stranger)")
                #expect(stranger.errors.contains("refuses your key"), "\(stranger)")
                let bare = try await Program.run(["get", "k", "--cluster", door.endpoint])
                #expect(bare.code == 64, "\(bare)")
                #expect(bare.errors.contains("authenticates its clients"), "\(bare)")
                let plain = try await Program.run([
                    "status", "--cluster", door.place, "--timeout", "500ms",
                ])
                #expect(plain.code == 3 && plain.errors.contains("give --key"), "\(plain)")
                let other = door.place + "?key=" + String(repeating: "1", count: 64)
                let wrong = try await door.run(
                    "admin", "status", "--timeout", "500ms", at: other)
                #expect(wrong.code == 3, "\(wrong)")
                #expect(wrong.errors.contains("does not hold that key"), "\(wrong)")
            }
        }

        @Test func aRevokedKeyIsRefusedWithinASecondAndItsStreamEnds() async throws {
            try await Self.secured { cluster, door in
                let client = try door.client("app")
                _ = try await client.set(.named("k"), to: [1])
                let begin = try await cluster.client.invalidate([.tagged("before")], wait: .all)
                let stream = try await client.invalidations(from: begin.position)
                let heard = Records()
                let reading = Task { for await event in stream { await heard.note(event) } }
                _ = try await cluster.client.invalidate([.tagged("first")], wait: .all)
                try await eventually("the first is heard") { await heard.count == 1 }

                try door.remove("app")
                let start = ContinuousClock.now
                var refusal: CacheError?
                while refusal == nil, ContinuousClock.now < start + .seconds(10) {
                    do throws(CacheError) {
                        _ = try await client.get(.named("k"))
                    } catch {
                        refusal = error
                    }
                }
                let took = ContinuousClock.now - start
                #expect(refusal?.code == .unauthorised, "\(String(describing: refusal))")
                #expect(took < .seconds(1), "\(took)")

                // The publisher reads the list at a moment of its own.
                await reading.value
                #expect(stream.failure?.code == .unauthorised)
                // The nodes are cut off with it, and are back; what is invalidated meanwhile is
                // obeyed by them and heard by nobody else.
                let receipt = try await cluster.client.invalidate([.tagged("second")], wait: .all)
                #expect(receipt.isComplete && receipt.expired.isEmpty, "\(receipt)")
                #expect(try await cluster.client.get(.named("k")) != nil)
                #expect(await heard.count == 1)
                await client.close()
            }
        }

        /// libzmq never tries again where it was turned away.
        @Test func aRefusedClientConnectsOnceItsPublicKeyIsListed() async throws {
            try await Self.secured { _, door in
                try await door.add("late", roles: "read", patterns: "*")
                let whole = try door.list()
                try door.remove("late")
                try await eventually("it is turned away") {
                    try await door.run("late", "get", "k", "--timeout", "500ms").code == 3
                }
                let client = try door.client("late", timeout: .seconds(1))
                for _ in 0..<2 {
                    let error = await #expect(throws: CacheError.self) {
                        try await client.get(.named("k"))
                    }
                    #expect(error?.code == .disconnected, "\(String(describing: error))")
                }
                try door.write(whole)
                try await eventually("it is let in") { try await client.get(.named("k")) == nil }
                await client.close()
            }
        }

        @Test func aWrongListChangesNothingAndIsSaidOnce() async throws {
            try await Self.secured { cluster, door in
                let right = try door.list()
                try door.write(right + "half a")
                try await eventually("it is said") {
                    cluster.logs.contains("line 6: a name, a public key and roles are wanted")
                }
                #expect(try await door.run("app", "get", "nothing").code == 1)
                try door.write(right)
                try await eventually("it is well again") {
                    cluster.logs.contains("can be read again")
                }
                #expect(try await door.run("app", "get", "nothing").code == 1)
            }
        }

        @Test func aNodeIsNotBelievedToBeAnother() async throws {
            try await Self.secured { cluster, door in
                let impostor = try RunningProgram(
                    [
                        "node", "--id", "n2", "--publisher", door.endpoint,
                        "--key", door.key("n1"), "--allow-list", door.listFile.path,
                    ], name: "impostor", in: cluster.directory.url)
                defer { impostor.kill() }
                try await eventually("it is refused") {
                    impostor.errors.contains("does not speak for this node")
                }
                let receipt = try await cluster.client.invalidate([.tagged("t")], wait: .all)
                #expect(receipt.isComplete && receipt.applied.count == 2, "\(receipt)")
                let status = try await door.run("admin", "status", "--json")
                #expect(status.code == 0, "\(status)")
            }
        }

        @Test func aRoleThatCannotBeGuardedDoesNotStart() async throws {
            try await Self.secured { _, door in
                let open = try await Program.run(["publisher", "--bind", "tcp://0.0.0.0:*"])
                #expect(open.code == 78 && open.errors.contains("--key"), "\(open)")
                let alone = try await Program.run(["publisher", "--key", door.key("n1")])
                #expect(alone.code == 64 && alone.errors.contains("--allow-list"), "\(alone)")
                let gone = try await Program.run([
                    "publisher", "--bind", "tcp://127.0.0.1:*", "--key", door.key("n1"),
                    "--allow-list", "/nowhere/list",
                ])
                #expect(gone.code == 78 && gone.errors.contains("/nowhere/list"), "\(gone)")
                let bare = try await Program.run([
                    "node", "--id", "n1", "--publisher", door.place, "--key", door.key("n1"),
                    "--allow-list", door.listFile.path,
                ])
                #expect(bare.code == 78, "\(bare)")
                #expect(bare.errors.contains("any process could pose as it"), "\(bare)")
            }
        }

        private actor Records {
            private(set) var count = 0

            func note(_ event: InvalidationStream.Event) {
                if case .record = event { count += 1 }
            }
        }
    }
}

extension Scope {
    fileprivate static func tagged(_ text: String) -> Scope {
        Scope(.tag(.named(text), in: .default))
    }
}
