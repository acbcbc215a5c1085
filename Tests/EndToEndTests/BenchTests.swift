import Foundation
import Testing
import TestSupport

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

extension EndToEndTests {
    /// `martlet bench` as a process, against real clusters.
    @Suite(.serialized) struct BenchTests {
        struct Latencies: Decodable {
            var p50: Double?
            var max: Double?
        }

        struct Figures: Decodable {
            var operations: UInt64
            var operationsPerSecond: Double
            var keysPerSecond: Double
            var hits: UInt64
            var misses: UInt64
            var errors: UInt64
            var violations: UInt64?
            var latencyUs: Latencies
        }

        static func figures(_ ending: Program.Ending) throws -> Figures {
            try figures(of: ending.output)
        }

        static func figures(of output: String) throws -> Figures {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode(Figures.self, from: Data(output.utf8))
        }

        /// Runs it against a cluster.
        static func bench(
            _ cluster: Cluster, _ arguments: String
        ) async throws -> Program.Ending {
            let endpoint = try #require(cluster.ready.publisher.endpoint)
            return try await Program.run(
                ["bench", "--cluster", endpoint] + arguments.split(separator: " ").map(String.init))
        }

        @Test func aClosedLoopFindsWhatWasStoredFirst() async throws {
            try await withCluster(ClusterPlan()) { cluster in
                let ending = try await Self.bench(
                    cluster, "--load --keys 2000 --duration 1s --read 1 --threads 2 --json")
                #expect(ending.code == 0, "\(ending)")
                let figures = try Self.figures(ending)
                #expect(figures.operations > 100 && figures.errors == 0)
                #expect(figures.misses == 0 && figures.hits == figures.operations)
                #expect(figures.violations == nil, "nothing was verified")
                #expect(try #require(figures.latencyUs.p50) > 0)
            }
        }

        @Test func requestsAreCountedAndBatchesAreOneOperation() async throws {
            try await withCluster(ClusterPlan()) { cluster in
                let ending = try await Self.bench(
                    cluster,
                    "--keys 500 --requests 6400 --batch 32 --concurrency 4 --read 1 "
                        + "--distribution uniform --json")
                #expect(ending.code == 0, "\(ending)")
                let figures = try Self.figures(ending)
                #expect(figures.hits + figures.misses == 6_400)
                #expect(figures.operations < 6_400 / 4, "a message is an operation")
                #expect(figures.errors == 0)
            }
        }

        @Test func anOpenLoopKeepsItsRate() async throws {
            try await withCluster(ClusterPlan()) { cluster in
                let ending = try await Self.bench(
                    cluster,
                    "--keys 1000 --rate 400 --arrivals poisson --duration 3s --threads 2 --json")
                #expect(ending.code == 0, "\(ending)")
                let figures = try Self.figures(ending)
                #expect((900...1_500).contains(figures.operations), "about 1200: \(figures)")
            }
        }

        @Test func everyKindOfOperationIsAnswered() async throws {
            try await withCluster(ClusterPlan()) { cluster in
                let ending = try await Self.bench(
                    cluster,
                    "--keys 500 --duration 1s --concurrency 16 --threads 2 --mix get:4,set:2,"
                        + "insert:1,delete:1,invalidate:1,read-modify-write:1,scan:1")
                #expect(ending.code == 0, "\(ending)")
                for kind in [
                    "get", "set", "insert", "delete", "invalidate", "read-modify-write", "scan",
                ] {
                    #expect(ending.output.contains("\n  \(kind) "), "\(kind): \(ending)")
                }
                #expect(!ending.output.contains("errors:"), "\(ending)")
            }
        }

        @Test func phasesOfAFileRunInTurnAndAReportIsWritten() async throws {
            try await withCluster(ClusterPlan()) { cluster in
                let file = cluster.directory.file("phases.yaml")
                let yaml = """
                    defaults: {keys: 1000, in-flight: 8}
                    phases:
                      - {name: everything, fill: true}
                      - {name: warm, warm-up: true, duration: 500ms}
                      - {name: steady, duration: 1s, mix: get}
                      - {name: paced, duration: 1s, rate: 200}
                    """
                try Data(yaml.utf8).write(to: file)
                let page = cluster.directory.file("report.html")
                let ending = try await Self.bench(
                    cluster, "--phases \(file.path) --report \(page.path)")
                #expect(ending.code == 0, "\(ending)")
                // A note above the phases may name one of them, too.
                let places = ["everything", "warm", "steady", "paced"].compactMap {
                    ending.output.range(of: "\n\($0): ")?.lowerBound
                }
                #expect(places.count == 4 && places == places.sorted(), "\(ending)")
                let html = try String(contentsOf: page, encoding: .utf8)
                #expect(html.hasPrefix("<!DOCTYPE html>") && html.contains("steady"))
            }
        }

        @Test(arguments: ClusterPlan.Topology.shardedAndReplicated)
        func aRightClusterIsFoundRight(topology: ClusterPlan.Topology) async throws {
            try await withCluster(ClusterPlan(topology)) { cluster in
                let ending = try await Self.bench(
                    cluster,
                    "--verify --keys 300 --duration 3s --threads 2 --concurrency 16 "
                        + "--mix get:0.9,set:0.05,read-modify-write:0.05 --invalidations 50 --json")
                #expect(ending.code == 0, "\(ending)")
                let figures = try Self.figures(ending)
                #expect(figures.violations == 0)
                #expect(figures.hits > 0 && figures.misses > 0, "\(figures)")
            }
        }

        @Test(arguments: ClusterPlan.Topology.shardedAndReplicated)
        func aNodeThatIgnoresInvalidationsIsFoundOutInSeconds(
            topology: ClusterPlan.Topology
        ) async throws {
            var plan = ClusterPlan(topology)
            plan.environment = ["MARTLET_PLANTED_BUG": "ignore-invalidations:100"]
            try await withCluster(plan) { cluster in
                let ending = try await Self.bench(
                    cluster,
                    "--verify --keys 200 --duration 60s --concurrency 32 "
                        + "--mix get:0.8,invalidate:0.2")
                #expect(ending.code == 5, "\(ending)")
                #expect(ending.errors.contains("older than promised"), "\(ending)")
                #expect(ending.output.contains("receipt"), "the key's history is told: \(ending)")
            }
        }

        @Test func anEchoNeedsNoCluster() async throws {
            let ending = try await Program.run(
                "bench --echo --keys 1000 --duration 1s --concurrency 64 --json"
                    .split(separator: " ").map(String.init))
            #expect(ending.code == 0, "\(ending)")
            let figures = try Self.figures(ending)
            #expect(figures.operations > 1_000 && figures.errors == 0 && figures.misses == 0)
        }

        @Test func reportsOfTwoPartsBecomeOne() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            var files: [String] = []
            for part in 1...2 {
                let ending = try await Program.run([
                    "bench", "--echo", "--worker", "\(part)/2", "--requests", "2000", "--json",
                ])
                #expect(ending.code == 0, "\(ending)")
                let file = directory.file("part\(part).json")
                try Data(ending.output.utf8).write(to: file)
                files.append(file.path)
            }
            let page = directory.file("both.html")
            let joined = try await Program.run(
                ["bench", "join"] + files + ["--json", "--report", page.path])
            #expect(joined.code == 0, "\(joined)")
            #expect(FileManager.default.fileExists(atPath: page.path))
            #expect(try Self.figures(joined).operations == 4_000)
            let alone = try await Program.run([
                "bench", "--echo", "--requests", "2000", "--json",
            ])
            let file = directory.file("alone.json")
            try Data(alone.output.utf8).write(to: file)
            let noPart = try await Program.run(["bench", "join", file.path, file.path])
            #expect(noPart.code == 65 && noPart.errors.contains("says not which part"))
            let twice = try await Program.run(["bench", "join", files[0], files[0]])
            #expect(twice.code == 65 && twice.errors.contains("two reports of part 1/2"))
        }

        @Test func controlCEndsThePhaseAndKeepsWhatWasMeasured() async throws {
            let directory = try TemporaryDirectory()
            defer { directory.remove() }
            let running = try RunningProgram(
                "bench --echo --keys 1000 --duration 10m --start-at +0s"
                    .split(separator: " ").map(String.init),
                name: "bench", in: directory.url)
            defer { running.kill() }
            // Said as soon as it listens to signals.
            try await eventually("it begins") { running.errors.contains("begins in") }
            running.signal(SIGINT)
            #expect(try await running.ended() == 0)
            #expect(running.output.contains("cut short"), "\(running.output)")
        }

        @Test(arguments: [
            ("--rate 0", "--rate"), ("--threads 0", "--threads"),
            ("--mix get:1,fly:1", "fly"), ("--read 0.5 --mix get", "--read and --mix"),
            ("--arrivals poisson", "--rate"), ("--workload ycsb-z", "ycsb-a"),
            ("--worker 5/4", "--worker"), ("--start-at yesterday", "--start-at"),
            ("--start-at 00:00:00", "--start-at"),
            ("--verify --echo", "--echo"), ("--verify --workload ycsb-d", "insert"),
            ("--value 1GiB", "--value"),
            ("--distribution zpif", "zipf"), ("--trace-speed 2x", "--trace"),
            ("--trace /nowhere --keys 5", "--keys"),
            ("--phases f --load", "--load"), ("--echo-first --start-at +1s", "--start-at"),
        ])
        func wrongInputIsOneLineWithARemedy(arguments: String, expected: String) async throws {
            let ending = try await Program.run(
                ["bench"] + arguments.split(separator: " ").map(String.init))
            #expect(ending.code == 64, "\(ending)")
            #expect(ending.output.isEmpty && ending.complaints.count == 1, "\(ending)")
            #expect(ending.errors.contains(expected), "\(ending)")
        }

        @Test(arguments: [["--phases", "/nowhere.yaml"], ["--trace", "/nowhere.csv"]])
        func aFileThatCannotBeReadEndsWith65(flag: [String]) async throws {
            let ending = try await Program.run(["bench"] + flag)
            #expect(ending.code == 65, "\(ending)")
            #expect(ending.output.isEmpty && ending.complaints.count == 1, "\(ending)")
            #expect(ending.errors.contains(flag[1]), "\(ending)")
        }

        @Test func benchReportsAnUnreachableCluster() async throws {
            let ending = try await Program.run([
                "bench", "--cluster", "tcp://127.0.0.1:9", "--duration", "1s", "--timeout", "300ms",
            ])
            #expect(ending.code == 3, "\(ending)")
            #expect(ending.complaints.count == 1, "\(ending)")
        }
    }
}
