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
    /// The verbs as scripts use them: exit codes, and the JSON that they promise.
    @Suite(.serialized) struct DoorTests {
        @Test func setGetScanInvalidateAndStatusTellByCodeAndJSON() async throws {
            try await withCluster { cluster in
                let door = try Door(cluster)
                for number in 0..<20 {
                    let tag = number < 5 ? "few" : "many"
                    let stored = try await door.run(
                        ["set", "key-\(number)", "value", "--tag", tag, "--json"])
                    #expect(stored.code == 0, "\(stored)")
                    #expect(try stored.object["stored"] as? Bool == true)
                }
                let found = try await door.run(["get", "key-1"])
                #expect(found.code == 0 && found.output == "value\n", "\(found)")
                let missing = try await door.run(["get", "key-1", "absent", "--json"])
                #expect(missing.code == 1, "\(missing)")
                #expect(missing.output.split(separator: "\n").count == 2, "\(missing)")
                let listed = try await door.run(["scan", "--tag", "few", "--json"])
                #expect(listed.code == 0 && listed.output.split(separator: "\n").count == 5)

                let dry = try await door.run(["invalidate", "tag", "few", "--dry-run", "--json"])
                #expect(dry.code == 0, "\(dry)")
                #expect(try dry.object["entries"] as? Int == 5, "\(dry)")
                let receipt = try await door.run(["invalidate", "tag", "few", "--json"])
                #expect(receipt.code == 0, "\(receipt)")
                #expect(try receipt.names("applied") == ["n1", "n2", "n3"], "\(receipt)")
                #expect(try receipt.object["complete"] as? Bool == true)
                #expect(try await door.run(["get", "key-1"]).code == 1)
                #expect(try await door.run(["get", "key-7"]).code == 0)
                #expect(try await door.run(["touch", "key-7", "--ttl", "1h"]).code == 0)
                #expect(try await door.run(["delete", "key-7"]).code == 0)
                #expect(try await door.run(["get", "key-7"]).code == 1)
                let status = try await door.run(["status", "--json"])
                #expect(status.code == 0, "\(status)")
                #expect(status.output.contains("\"n3\""), "\(status)")
                #expect(try await door.run(["config", "show"]).code == 0)
                #expect(try await door.run(["invalidate", "all", "--yes"]).code == 0)
                #expect(try await door.run(["get", "key-9"]).code == 1)
            }
        }

        @Test func anIncompleteReceiptEndsWithTwoAndNamesTheNode() async throws {
            try await withCluster { cluster in
                let door = try Door(cluster)
                let process = try cluster.processID(of: cluster.view.nodes[1])
                try await ProcessTable.stop(process)
                defer { ProcessTable.send(SIGCONT, to: process) }
                let owed = try await door.run(
                    ["invalidate", "tag", "t", "--wait", "all", "--timeout", "1s", "--json"])
                #expect(owed.code == 2, "\(owed)")
                #expect(try owed.names("pending") == ["n2"], "\(owed)")
                #expect(owed.errors.contains("n2"), "\(owed)")
                let none = try await door.run(["invalidate", "tag", "t", "--wait", "none"])
                #expect(none.code == 0, "\(none)")
                let expired = try await door.run(
                    ["invalidate", "tag", "t", "--timeout", "15s", "--json"])
                #expect(expired.code == 0, "\(expired)")
                #expect(try expired.names("expired") == ["n2"], "\(expired)")
            }
        }

        @Test func tailPrintsWhatIsInvalidated() async throws {
            try await withCluster { cluster in
                let endpoint = try #require(cluster.ready.publisher.endpoint)
                let tail = try RunningProgram(
                    ["tail", "--json", "--from", "1:0", "--cluster", endpoint], name: "tail",
                    in: cluster.directory.url)
                defer { tail.kill() }
                for number in 0..<5 {
                    try await cluster.view.invalidate(.key(.named("key-\(number)"), in: .default))
                }
                try await eventually("five lines: \(tail.output)\(tail.errors)") {
                    tail.output.split(separator: "\n").count == 5
                }
                tail.signal(SIGINT)
                let code = try await tail.ended(within: .seconds(15))
                #expect(code == 0 || code == 128 + SIGINT, "\(code)")
            }
        }

        /// A line is held for its receipt a quarter of a second at most, which a busy machine may
        /// need: one of several has all of it.
        @Test func tailShowsTheIssuerAndTheReceiptOfEachInvalidation() async throws {
            try await withCluster { cluster in
                let door = try Door(cluster)
                let tail = try RunningProgram(
                    ["tail", "--json", "--from", "1:0", "--cluster", door.endpoint],
                    name: "receipts", in: cluster.directory.url)
                defer { tail.kill() }
                try await eventually("a whole line: \(tail.output)\(tail.errors)") {
                    let order = try await door.run(["invalidate", "tag", "t", "--wait", "none"])
                    #expect(order.code == 0, "\(order)")
                    return tail.output.contains("{\"node\":\"n3\",\"ms\":")
                }
                let line = try #require(
                    tail.output.split(separator: "\n").first { $0.contains("\"n3\"") })
                #expect(line.contains("@"), "the issuer is somebody at some machine: \(line)")
                #expect(line.contains("\"operation\":\""), "\(line)")

                let plain = try RunningProgram(
                    ["tail", "--no-receipts", "--from", "1:0", "--cluster", door.endpoint],
                    name: "plain", in: cluster.directory.url)
                defer { plain.kill() }
                try await eventually("a line: \(plain.output)\(plain.errors)") {
                    plain.output.firstMatch(
                        of: /^[0-9:.]{12}  1:1@[0-9a-f]{16}  hard  tag t\n/) != nil
                }
                for program in [tail, plain] {
                    program.signal(SIGINT)
                    #expect(try await program.ended() == 0, "\(program.errors)")
                }
            }
        }

        @Test func tailSaysThatThePublisherIsAwayAndBack() async throws {
            try await withCluster { cluster in
                let door = try Door(cluster)
                let tail = try RunningProgram(
                    ["tail", "--cluster", door.endpoint], name: "tail",
                    in: cluster.directory.url)
                defer { tail.kill() }
                let publisher = cluster.ready.publisher.pid
                try await eventually("it follows: \(tail.output)\(tail.errors)") {
                    let order = try await door.run(["invalidate", "tag", "t"])
                    #expect(order.code == 0, "\(order)")
                    return !tail.output.isEmpty
                }
                try await ProcessTable.stop(publisher)
                defer { ProcessTable.send(SIGCONT, to: publisher) }
                try await eventually("silence is said: \(tail.errors)") {
                    tail.errors.contains("the publisher has been silent for 2")
                }
                ProcessTable.send(SIGCONT, to: publisher)
                try await eventually("its end is said: \(tail.errors)") {
                    tail.errors.contains("the publisher is back after ")
                }
                tail.signal(SIGINT)
                #expect(try await tail.ended() == 0, "\(tail.errors)")
            }
        }

        @Test func statusSaysWhyANodeIsSuspect() async throws {
            try await withCluster { cluster in
                let door = try Door(cluster)
                let live = try await door.run(["status"])
                #expect(live.code == 0 && !live.output.contains(" is "), "\(live)")
                let publisher = cluster.ready.publisher.pid
                try await ProcessTable.stop(publisher)
                defer { ProcessTable.send(SIGCONT, to: publisher) }
                var said = live
                try await eventually("n2 says why: \(said)") {
                    // The topology comes from the nodes that were remembered.
                    said = try await door.run(["status", "--timeout", "2s"])
                    return said.output.contains("n2 is SUSPECT for ")
                }
                #expect(said.output.contains(": no answer from the publisher for "), "\(said)")
                #expect(said.output.contains(", no heartbeat for "), "\(said)")
                #expect(said.code == 2, "\(said)")
                #expect(said.errors.contains("does not answer"), "\(said)")
            }
        }

        @Test func whatCannotBeDoneEndsWithItsCode() async throws {
            try await withCluster { cluster in
                let door = try Door(cluster)
                for (arguments, code) in [
                    (["get", ""], 64), (["get", String(repeating: "k", count: 4_097)], 64),
                    (["get", "k", "--at-least", "1"], 64), (["get", "k", "--timeout", "5"], 64),
                    (["set", "k"], 64), (["invalidate", "galaxy", "x"], 64),
                    (["invalidate", "tag"], 64), (["get", "k", "--node", "n9"], 64),
                    (["get", "k", "--at-least", "1:999", "--timeout", "4s"], 6),
                ] as [([String], Int32)] {
                    let ending = try await door.run(arguments)
                    #expect(ending.code == code, "\(arguments): \(ending)")
                    #expect(!ending.errors.isEmpty, "\(arguments) says nothing")
                }
                // One tag more than an entry has.
                let tags = (0..<65).flatMap { ["--tag", "t\($0)"] }
                #expect(try await door.run(["set", "k", "v"] + tags).code == 64)
            }
            let nobody = try TCPSocket.listening()
            let port = nobody.port
            nobody.close()
            let ending = try await Program.run(
                ["get", "k", "--timeout", "500ms", "--cluster", "tcp://127.0.0.1:\(port)"])
            #expect(ending.code == 3, "\(ending)")
            #expect(ending.complaints.count == 1, "\(ending)")
        }
    }

    /// The program's verbs, spoken to one cluster.
    private struct Door {
        let endpoint: String

        init(_ cluster: Cluster) throws {
            endpoint = try #require(cluster.ready.publisher.endpoint)
        }

        func run(_ arguments: [String]) async throws -> Program.Ending {
            try await Program.run(arguments + ["--cluster", endpoint])
        }
    }
}

extension Program.Ending {
    /// The one JSON object that it printed.
    fileprivate var object: [String: Any] {
        get throws {
            let json = try JSONSerialization.jsonObject(with: Data(output.utf8))
            return try #require(json as? [String: Any], "\(self)")
        }
    }

    /// The nodes that a list of a receipt names.
    fileprivate func names(_ list: String) throws -> [String] {
        let lines = try #require(try object[list] as? [[String: Any]], "\(self)")
        return lines.compactMap { $0["node"] as? String }.sorted()
    }
}
