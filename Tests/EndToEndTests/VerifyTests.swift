import CacheModel
import Foundation
import MartletClient
import Testing
import TestSupport
import Threading

extension EndToEndTests {
    /// `martlet verify` beside real nodes, healthy and not.
    @Suite(.serialized) struct VerifyTests {
        /// What `--json` says, as far as these stories look at it.
        struct Report: Codable {
            struct Line: Codable {
                var afterMs: Int
                var node: String?
                var judged: Int
                var right: Int
                var shown: Int
                var wrong: Int
                var unanswered: Int
                var nines: Double?
                var ninesAtLeast: Double?
            }

            struct Origins: Codable {
                struct Node: Codable {
                    var node: String?
                    var same: Int
                    var differs: Int
                }

                struct Difference: Codable {
                    var key: String
                    var apartMs: Int
                }

                var nodes: [Node]
                var differences: [Difference]
            }

            struct Broken: Codable {
                var key: String
                var node: String
                var history: [String]
            }

            var samples: Int
            var answers: [Line]
            var violations: Int
            var broken: [Broken]
            var origins: Origins?
        }

        static func verify(_ cluster: Cluster, _ arguments: [String]) throws -> RunningProgram {
            try RunningProgram(
                ["verify", "--cluster", try #require(cluster.ready.publisher.endpoint), "--json"]
                    + arguments, name: "verify-\(arguments.count)", in: cluster.directory.url)
        }

        static func report(of program: RunningProgram) throws -> Report {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode(Report.self, from: Data(program.output.utf8))
        }

        /// Loads entries anew and invalidates them, one after the other, until told to stop.
        static func churn(_ view: ClusterView, while goesOn: () -> Bool) async throws {
            let entries = SampleEntry.many(8)
            while goesOn() {
                try await view.fill(entries)
                for entry in entries {
                    _ = try await view.client.invalidate(
                        [Scope(.key(.named(entry.key), in: .default))])
                }
                try await view.fill(entries)
            }
        }

        @Test(arguments: ClusterPlan.Topology.all)
        func aHealthyClusterShowsNoViolation(_ topology: ClusterPlan.Topology) async throws {
            try await withCluster(ClusterPlan(topology)) { cluster in
                let metrics = cluster.directory.file("verify.prom")
                let program = try Self.verify(
                    cluster,
                    ["--for", "6s", "--after", "200ms,1s", "--metrics", metrics.path])
                defer { program.kill() }
                try await Self.churn(cluster.view) { program.isRunning }
                #expect(try await program.ended() == 0, "\(program.errors)")
                let report = try Self.report(of: program)
                #expect(report.violations == 0 && report.broken.isEmpty)
                #expect(report.samples > 0)
                let totals = report.answers.filter { $0.node == nil }
                #expect(totals.map(\.afterMs) == [200, 1_000])
                for line in totals {
                    #expect(line.judged > 0 && line.wrong == 0, "\(line)")
                    #expect(line.shown > 0, "nothing that was filled anew was seen: \(line)")
                }
                let late = try #require(totals.last)
                #expect(late.right == late.judged && late.nines == nil, "\(late)")
                let text = try String(contentsOf: metrics, encoding: .utf8)
                #expect(text.contains("martlet_verify_violations_total 0\n"))
                #expect(text.contains("martlet_verify_nines{after=\"1s\",node=\"n1\"} "))
            }
        }

        /// Node n2 claims every second record and does not obey it.
        @Test func aNodeThatMissesInvalidationsIsFound() async throws {
            var plan = ClusterPlan(.replicated)
            plan.environment = ["MARTLET_PLANTED_BUG": "ignore-invalidations:2:n2"]
            try await withCluster(plan) { cluster in
                let entries = SampleEntry.many(20)
                try await cluster.view.fill(entries)
                let metrics = cluster.directory.file("verify.prom")
                let program = try Self.verify(
                    cluster,
                    ["--for", "60s", "--after", "200ms,1s", "--metrics", metrics.path])
                defer { program.kill() }
                try await eventually("verify follows the log") {
                    try String(contentsOf: metrics, encoding: .utf8).contains("following 1\n")
                }
                for entry in entries {
                    _ = try await cluster.client.invalidate(
                        [Scope(.key(.named(entry.key), in: .default))])
                }
                #expect(try await program.ended() == 5, "\(program.output)\(program.errors)")
                let report = try Self.report(of: program)
                let broken = try #require(report.broken.first)
                #expect(broken.node == "n2" && Set(report.broken.map(\.node)) == ["n2"])
                #expect(entries.contains { $0.key == broken.key })
                #expect(broken.history.first?.contains("invalidated at") == true)
                let guilty = broken.history.filter { $0.contains("WRONG") }
                #expect(!guilty.isEmpty && guilty.allSatisfy { $0.contains("n2: fresh") })
                #expect(broken.history.contains { $0.contains("n1: absent") })
            }
        }

        /// The rows of a database change, and nobody invalidates; then somebody does.
        @Test func verifyFindsOriginChangesThatWereNeverInvalidated() async throws {
            let version = Guarded(1)
            let origin = try OriginServer { request in
                .text("\(request.path) is \(version.withLock(\.self))")
            }
            defer { origin.close() }
            var plan = ClusterPlan()
            plan.namespaces = ["  default:", "    origin:", "      url: \(origin.url)"]
            try await withCluster(plan) { cluster in
                let keys = (0..<3).map { CacheKey.named("row\($0)") }
                for key in keys { _ = try await cluster.client.get(key) }
                version.withLock { $0 = 2 }
                let before = origin.requests.count
                let program = try Self.verify(
                    cluster, ["--for", "9s", "--after", "200ms", "--origin", "20/s"])
                defer { program.kill() }
                #expect(try await program.ended() == 0, "\(program.errors)")
                let found = try #require(try Self.report(of: program).origins)
                #expect(Set(found.differences.map(\.key)) == ["row0", "row1", "row2"])
                #expect(found.differences.allSatisfy { $0.apartMs >= 5_000 })
                let total = try #require(found.nodes.last)
                #expect(total.node == nil && total.differs >= 3 && total.same == 0)
                #expect(origin.requests.count > before)
                // Nothing was mended by being looked at.
                for key in keys {
                    let value = try await cluster.client.get(key)
                    #expect(value.map { $0.bytes.last } == UInt8(ascii: "1"))
                }
                try await Self.expectTheSameAfterInvalidation(keys, cluster)
            }
        }

        private static func expectTheSameAfterInvalidation(
            _ keys: [CacheKey], _ cluster: Cluster
        ) async throws {
            let node = try #require(try await cluster.client.cluster.owner(of: keys[0]))
            let differing = try await cluster.client.cluster.compareWithOrigin(keys[0], on: node)
            #expect(differing.verdict == .differs && differing.shown?.valueBytes == 9)
            _ = try await cluster.client.invalidate(
                keys.map { Scope(.key($0, in: .default)) })
            let hidden = try await cluster.client.cluster.compareWithOrigin(keys[0], on: node)
            #expect(hidden.verdict == .notShown)
            _ = try await cluster.client.get(keys[0])
            let same = try await cluster.client.cluster.compareWithOrigin(keys[0], on: node)
            #expect(same.verdict == .same && same.shown == same.origin)
        }

        /// The directory of the metrics goes away while it watches.
        @Test func metricsThatCannotBeWrittenTakeNoReportAway() async throws {
            try await withCluster(ClusterPlan()) { cluster in
                let directory = cluster.directory.file("metrics")
                try FileManager.default.createDirectory(
                    at: directory, withIntermediateDirectories: false)
                let metrics = directory.appending(path: "verify.prom")
                let program = try Self.verify(
                    cluster, ["--for", "7s", "--after", "200ms", "--metrics", metrics.path])
                defer { program.kill() }
                try await eventually("it writes them") {
                    FileManager.default.fileExists(atPath: metrics.path)
                }
                try FileManager.default.removeItem(at: directory)
                #expect(try await program.ended() == 4, "\(program.errors)")
                #expect(try Self.report(of: program).violations == 0)
                #expect(program.errors.contains("--metrics: "), "\(program.errors)")
            }
        }

        @Test func aClusterThatIsNotThereEndsInThree() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let program = try RunningProgram(
                ["verify", "--cluster", "tcp://127.0.0.1:9", "--timeout", "500ms"],
                name: "verify", in: directory.url)
            defer { program.kill() }
            #expect(try await program.ended() == 3)
            #expect(program.errors.contains("martlet up starts a cluster"))
        }
    }
}
