import Foundation
import MartletClient
import Testing
import TestSupport

extension EndToEndTests {
    /// `martlet doctor` beside real installations.
    @Suite(.serialized) struct DoctorTests {
        /// The parts of its JSON that stories look at.
        private struct Report: Codable {
            struct Finding: Codable {
                var check: String
                var verdict: String
                var what: String
                var remedy: String?
            }

            var wrong: Int
            var warnings: Int
            var findings: [Finding]

            func has(_ check: String, _ verdict: String, _ text: String) -> Bool {
                findings.contains {
                    $0.check == check && $0.verdict == verdict && $0.what.contains(text)
                }
            }
        }

        private static func examined(
            _ arguments: String...
        ) async throws -> (code: Int32, report: Report) {
            let ending = try await Program.run(["doctor", "--json"] + arguments)
            let report = try JSONDecoder().decode(Report.self, from: Data(ending.output.utf8))
            #expect(report.findings.allSatisfy { $0.verdict != "wrong" || $0.remedy != nil })
            return (ending.code, report)
        }

        private static func digits(_ digit: String) -> String {
            String(repeating: digit, count: 64)
        }

        private static func secured(
            _ story: (Cluster, SecureDoor, String) async throws -> Void
        ) async throws {
            var plan = ClusterPlan()
            plan.isSecure = true
            plan.nodeCount = 2
            try await withCluster(plan) { cluster in
                try await story(cluster, SecureDoor(cluster), cluster.directory.url.path)
            }
        }

        @Test func nothingIsWrongWithAClusterThatUpHasMade() async throws {
            try await Self.secured { _, door, directory in
                let (code, report) = try await Self.examined(
                    "--dir", directory, "--key", door.key("admin"), "--cluster", door.endpoint)
                #expect(code == 0 && report.wrong == 0, "\(report)")
                #expect(report.has("libzmq", "ok", "with CURVE"), "\(report)")
                #expect(report.has("configuration", "ok", "the key is admin's"), "\(report)")
                #expect(report.has("allow-list", "ok", "4 keys"), "\(report)")
                #expect(report.has("allow-list", "hint", "admin without a date"), "\(report)")
                #expect(report.has("ports", "ok", "taken by a martlet"), "\(report)")
                #expect(report.has("cluster", "ok", "admits this key"), "\(report)")
                #expect(report.has("publisher", "ok", "answers"), "\(report)")
                for node in ["n1", "n2"] { #expect(report.has(node, "ok", "live"), "\(report)") }
            }
        }

        @Test func whatIsBrokenIsNamedWithItsRemedy() async throws {
            try await Self.secured { _, door, directory in
                try await door.make("stranger")
                let outside = try await Self.examined(
                    "--cluster", door.endpoint, "--key", door.key("stranger"))
                #expect(outside.code == 78)
                #expect(outside.report.has("cluster", "wrong", "refuses your key"))
                let late = try await Self.examined("--cluster", "tcp://127.0.0.1:1")
                #expect(late.code == 78 && late.report.has("cluster", "wrong", "nothing answers"))

                try door.remove("n2")
                let (old, strange) = (Self.digits("5"), Self.digits("6"))
                try door.write(
                    try door.list() + "old \(old) read * 2020-01-01\nn9 \(strange) node\n")
                chmod(door.listFile.path, 0o666)
                chmod(door.key("stranger"), 0o644)
                let broken = try await Self.examined(
                    "--dir", directory, "--key", door.key("stranger"))
                #expect(broken.code == 78, "\(broken)")
                let report = broken.report
                #expect(report.has("key", "wrong", "may be read by others (mode 644)"))
                #expect(report.has("allow-list", "wrong", "may be written by others (mode 666)"))
                #expect(report.has("allow-list", "wrong", "role: n2"), "\(report)")
                #expect(report.has("allow-list", "warning", "past their date"), "\(report)")
                #expect(report.has("allow-list", "warning", "configuration: n9"), "\(report)")
            }
        }

        @Test func portsDirectoriesAndFilesThatCannotBeUsedAreWrong() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let taken = try TCPSocket.listening()
            defer { taken.close() }
            let file = directory.file("c.yaml")
            let log = directory.file("log")
            try Data().write(to: log)
            let text = """
                publisher: {endpoint: "tcp://127.0.0.1:\(taken.port)", log: "\(log.path)"}
                nodes:
                  - {id: n1, memory: 1TiB}
                """
            try Data(text.utf8).write(to: file)
            let (code, report) = try await Self.examined(
                "--config", file.path, "--allow-list", directory.file("none").path)
            #expect(code == 78, "\(report)")
            #expect(report.has("ports", "wrong", "not by a martlet"), "\(report)")
            #expect(report.has("log", "wrong", "is no directory"), "\(report)")
            #expect(report.has("memory", "wrong", "n1 may take"), "\(report)")
            #expect(report.has("allow-list", "wrong", "none"), "\(report)")

            try Data("nodes: 7\n".utf8).write(to: file)
            let bad = try await Self.examined("--config", file.path)
            #expect(bad.code == 78 && bad.report.findings.contains { $0.verdict == "wrong" })
            let plain = try await Program.run(["doctor"])
            #expect(plain.code == 0 && plain.output.contains("libzmq"), "\(plain)")
        }
    }
}
