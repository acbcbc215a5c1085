import Foundation
import Testing
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Reports, what is measured beside the load, and recorded requests.
extension EndToEndTests.BenchTests {
    // MARK: Files

    /// A disk that is full takes the report and nothing else.
    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func aReportThatCannotBeWrittenTakesNoFiguresAway() async throws {
        let ending = try await Program.run(
            "bench --echo --requests 2000 --json --report /dev/full"
                .split(separator: " ").map(String.init))
        #expect(ending.code == 4, "\(ending)")
        #expect(try Self.figures(ending).operations == 2_000)
        #expect(ending.complaints.count == 1 && ending.errors.contains("/dev/full"), "\(ending)")

        var plan = ClusterPlan()
        plan.environment = ["MARTLET_PLANTED_BUG": "ignore-invalidations:10"]
        try await withCluster(plan) { cluster in
            let ending = try await Self.bench(
                cluster,
                "--verify --keys 200 --duration 60s --concurrency 32 --report /dev/full "
                    + "--mix get:0.8,invalidate:0.2")
            #expect(ending.code == 5, "a wrong answer weighs more: \(ending)")
            #expect(ending.output.contains("older than promised"), "\(ending)")
            #expect(ending.errors.contains("/dev/full"), "\(ending)")
        }
    }

    @Test func anOldReportStaysUntilThereIsANewOne() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let old = directory.file("old.html")
        let new = directory.file("new.html")
        try Data("old, and longer than nothing".utf8).write(to: old)
        for (wrong, code) in [
            ("--phases /nowhere.yaml", Int32(65)),
            ("--cluster tcp://127.0.0.1:9 --timeout 300ms --duration 1s", 3),
        ] {
            for file in [old, new] {
                let ending = try await Program.run(
                    ["bench", "--report", file.path] + wrong.split(separator: " ").map(String.init))
                #expect(ending.code == code, "\(ending)")
            }
            #expect(try String(contentsOf: old, encoding: .utf8) == "old, and longer than nothing")
            #expect(!FileManager.default.fileExists(atPath: new.path), "after \(wrong)")
        }
        let long = String(repeating: "x", count: 2_000_000)
        try Data(long.utf8).write(to: old)
        let ending = try await Program.run([
            "bench", "--echo", "--requests", "100", "--report", old.path,
        ])
        #expect(ending.code == 0, "\(ending)")
        let page = try String(contentsOf: old, encoding: .utf8)
        #expect(page.hasPrefix("<!DOCTYPE html>") && !page.contains("xxxx"))
    }

    // MARK: Phases

    @Test func aFileThatOnlyFillsIsMeasured() async throws {
        try await withCluster(ClusterPlan()) { cluster in
            let file = cluster.directory.file("fill.yaml")
            try Data("phases: [{name: everything, fill: true, keys: 3000}]".utf8).write(to: file)
            let ending = try await Self.bench(cluster, "--phases \(file.path) --json")
            #expect(ending.code == 0, "\(ending)")
            #expect(try Self.figures(ending).operations == 3_000)
            #expect(!ending.output.contains("Nothing was answered"), "\(ending)")
        }
    }

    @Test func benchWithEchoFirstReportsTheGeneratorSpeed() async throws {
        struct Echoed: Decodable { var echoKeysPerSecond: Double? }
        try await withCluster(ClusterPlan()) { cluster in
            let ending = try await Self.bench(
                cluster, "--echo-first --keys 500 --duration 1s --json")
            #expect(ending.code == 0, "\(ending)")
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let echoed = try decoder.decode(Echoed.self, from: Data(ending.output.utf8))
            #expect(try #require(echoed.echoKeysPerSecond) > 1_000)
            let text = try await Self.bench(cluster, "--echo-first --keys 500 --requests 500")
            #expect(text.output.contains("an echo of its own answered"), "\(text)")
            #expect(text.output.contains("500 keys of 16B"), "the cluster is what it is about")
        }
    }

    // MARK: Recorded requests

    /// So many requests for ten keys, a tenth of a second apart.
    private static func trace(_ count: Int, in directory: TemporaryDirectory) throws -> String {
        let file = directory.file("trace-\(count).csv")
        let lines = (0..<count).map { "\(Double($0) / 10),k\($0 % 10),20\n" }.joined()
        try Data(lines.utf8).write(to: file)
        return file.path
    }

    private struct Replay: Decodable {
        struct Phase: Decodable {
            struct Schedule: Decodable {
                var due: Int
                var notSent: Int
            }

            var schedule: Schedule?
        }

        struct Worker: Decodable { var hostName: String? }

        var hits: Int
        var misses: Int
        var errors: Int
        var cutShort: Bool
        var phases: [Phase]
        var workers: [Worker]

        init(_ text: String) throws {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            self = try decoder.decode(Replay.self, from: Data(text.utf8))
        }
    }

    @Test func aReplaySaysWhatItAskedForAndWhere() async throws {
        try await withCluster(ClusterPlan()) { cluster in
            let path = try Self.trace(30, in: cluster.directory)
            let ending = try await Self.bench(
                cluster, "--trace \(path) --trace-speed 10x --concurrency 4 --json")
            #expect(ending.code == 0, "\(ending)")
            let replay = try Replay(ending.output)
            #expect(replay.hits == 20 && replay.misses == 10 && replay.errors == 0)
            #expect(replay.phases[0].schedule?.due == 30 && !replay.cutShort)
            #expect(replay.workers.first?.hostName != nil)
        }
    }

    @Test func aTraceReplayWithoutAClusterCountsErrorsNotMisses() async throws {
        let directory = try TemporaryDirectory()
        defer { directory.remove() }
        let path = try Self.trace(5, in: directory)
        let ending = try await Program.run(
            "bench --trace \(path) --cluster tcp://127.0.0.1:9 --timeout 300ms --json"
                .split(separator: " ").map(String.init))
        #expect(ending.code == 3, "\(ending)")
        let replay = try Replay(ending.output)
        #expect(replay.errors == 5 && replay.misses == 0)
    }

    @Test func controlCEndsAReplayAndKeepsWhatWasMeasured() async throws {
        try await withCluster(ClusterPlan()) { cluster in
            let endpoint = try #require(cluster.ready.publisher.endpoint)
            let path = try Self.trace(36_000, in: cluster.directory)
            let running = try RunningProgram(
                "bench --cluster \(endpoint) --trace \(path) --trace-speed 10x --json"
                    .split(separator: " ").map(String.init),
                name: "replay", in: cluster.directory.url)
            defer { running.kill() }
            try await eventually("it asks") { try await Self.isFilled(cluster) }
            running.signal(SIGINT)
            #expect(try await running.ended() == 0, "\(running.errors)")
            let replay = try Replay(running.output)
            #expect(replay.cutShort && replay.hits + replay.misses > 0 && replay.errors == 0)
            #expect(try #require(replay.phases[0].schedule).due < 36_000)
        }
    }

    /// Whether the first key of a trace is there.
    private static func isFilled(_ cluster: Cluster) async throws -> Bool {
        let endpoint = try #require(cluster.ready.publisher.endpoint)
        return try await Program.run(["get", "k0", "--cluster", endpoint]).code == 0
    }
}
