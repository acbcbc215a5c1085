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
    /// Who did what, as the processes of a secure cluster write it.
    @Suite(.serialized) struct AuditTests {
        /// Waits until a log has a line with all of this.
        private static func find(
            _ pieces: String..., in file: URL
        ) async throws -> String {
            var found: Substring?
            try await eventually("\(file.lastPathComponent) has \(pieces)") {
                let text = try String(contentsOf: file, encoding: .utf8)
                found = text.split(separator: "\n").last { line in
                    pieces.allSatisfy { line.contains($0) }
                }
                return found != nil
            }
            return String(try #require(found))
        }

        private static func mode(of file: URL) throws -> Int {
            let facts = try FileManager.default.attributesOfItem(atPath: file.path)
            return try #require(facts[.posixPermissions] as? Int)
        }

        @Test func theAuditLogRecordsEachInvalidationAndDenialWithItsSource() async throws {
            var plan = ClusterPlan()
            plan.isSecure = true
            plan.nodeCount = 2
            plan.topology = .replicated
            try await withCluster(plan) { cluster in
                let door = try SecureDoor(cluster)
                let log = cluster.directory.file("publisher.audit")

                let done = try await door.run("app", "invalidate", "tag", "news", "--wait", "all")
                #expect(done.code == 0, "\(done)")
                let order = try await Self.find(#""event":"invalidate""#, #""news""#, in: log)
                #expect(order.contains(#""who":"app""#), "\(order)")
                #expect(order.contains(#""from":"127.0.0.1""#), "\(order)")
                #expect(
                    order.contains(
                        #""scopes":[{"kind":"tag","name":"news","namespace":"default"}]"#))
                let place = try #require(
                    order.firstMatch(of: /"position":"[0-9:]+"/).map { String($0.output) })
                let receipt = try await Self.find(#""event":"receipt""#, place, in: log)
                #expect(receipt.contains(#""complete":true,"applied":2"#), "\(receipt)")
                #expect(receipt.contains(#""who":"app""#), "\(receipt)")

                // A node orders the store of a client, and says for whom.
                #expect(try await door.run("app", "set", "greeting", "hello").code == 0)
                let stored = try await Self.find(#""greeting""#, in: log)
                #expect(stored.contains(#""claim":"app""#), "\(stored)")
                #expect(stored.contains(/"who":"n[12]"/), "\(stored)")
                #expect(!stored.contains("hello"))

                #expect(try await door.run("app", "forget", "n1").code == 4)
                let denied = try await Self.find(#""event":"denied""#, in: log)
                #expect(denied.contains(#""who":"app""#), "\(denied)")
                #expect(denied.contains(#""message":"forget","missing":"admin""#), "\(denied)")
                #expect(denied.contains(#""from":"127.0.0.1""#), "\(denied)")
                #expect(try await door.run("app", "drain", "n1").code == 4)
                let drain = try await Self.find(
                    #""message":"drain","missing":"admin""#,
                    in: cluster.directory.file("n1.audit"))
                #expect(drain.contains(#""who":"app""#), "\(drain)")
                #expect(drain.contains(#""from":"127.0.0.1""#), "\(drain)")

                try await door.make("stranger")
                _ = try await door.run("stranger", "status", "--timeout", "500ms")
                let stranger = try await Self.find(#""event":"stranger""#, in: log)
                #expect(stranger.contains(#""who":null"#), "\(stranger)")
                #expect(stranger.contains(#""from":"127.0.0.1""#), "\(stranger)")
                try await door.add("web", roles: "read", patterns: "*")
                _ = try await Self.find(#""event":"list""#, #""new":["web"]"#, in: log)

                #expect(try Self.mode(of: log) == 0o600)
                try await Self.read(log, place)
            }
        }

        /// What the command makes of it.
        private static func read(_ log: URL, _ place: String) async throws {
            let lines = try await Program.run(["audit", log.path, "--json"])
            #expect(lines.code == 0 && lines.errors.isEmpty, "\(lines)")
            // More may have been written meanwhile.
            let text = try String(contentsOf: log, encoding: .utf8)
            #expect(!lines.output.isEmpty && text.hasPrefix(lines.output), "\(lines)")
            let table = try await Program.run(["audit", log.path, "--who", "app"])
            #expect(table.output.contains(/n[12] \(app\)/), "\(table)")
            #expect(table.output.contains("hard tag news"), "\(table)")
            #expect(table.output.contains("missing admin"), "\(table)")
            let denied = try await Program.run(["audit", log.path, "--denied", "--since", "1h"])
            #expect(!denied.output.contains("tag news"), "\(denied)")
            #expect(denied.output.contains("its key is not in the list"), "\(denied)")
            let none = try await Program.run(["audit", log.path + ".gone"])
            #expect(none.code == 78, "\(none)")
            let wrong = try await Program.run(["audit", log.path, "--event", "nothing"])
            #expect(wrong.code == 64, "\(wrong)")
        }

        @Test("A publisher writes begin and end to its audit log and does not start without it")
        func anAuditLogIsExclusiveAndRequired() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let log = directory.file("audit")
            let arguments = [
                "publisher", "--bind", "tcp://127.0.0.1:*", "--nodes", "1", "--audit", log.path,
            ]
            let publisher = try RunningProgram(arguments, name: "publisher", in: directory.url)
            defer { publisher.kill() }
            try await eventually("it listens") { publisher.errors.contains("publisher listens") }
            let second = try await Program.run(arguments)
            #expect(second.code == 78 && second.errors.contains("another process"), "\(second)")
            publisher.signal(SIGTERM)
            #expect(try await publisher.ended() == 0)
            let lines = try String(contentsOf: log, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 2, "\(lines)")
            #expect(lines.first?.contains(#""event":"begin","role":"publisher""#) == true)
            #expect(lines.last?.contains(#""event":"end""#) == true)
            let nowhere = try await Program.run(arguments.dropLast() + ["/nowhere/audit"])
            #expect(nowhere.code == 78 && nowhere.errors.contains("/nowhere/audit"), "\(nowhere)")
        }
    }
}
