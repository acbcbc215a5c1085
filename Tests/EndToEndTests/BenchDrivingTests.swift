import Foundation
import Testing

extension EndToEndTests {
    /// Whom `martlet bench` asks, and what it knows of their answers, against real clusters.
    @Suite(.serialized) struct BenchDrivingTests {
        private struct Verification: Decodable {
            var promised: UInt64
            var receiptsComplete: UInt64
            var violationCount: UInt64
        }

        private struct Worker: Decodable {
            var threads: Int
            var nodesAsked: Int?
            var nodes: Int?
        }

        private struct Figures: Decodable {
            var hits: UInt64
            var misses: UInt64
            var errors: UInt64
            var workers: [Worker]
            var verification: Verification?
        }

        private static func figures(_ ending: Program.Ending) throws -> Figures {
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return try decoder.decode(Figures.self, from: Data(ending.output.utf8))
        }

        private static func bench(
            _ cluster: Cluster, _ arguments: String
        ) async throws -> Program.Ending {
            let endpoint = try #require(cluster.ready.publisher.endpoint)
            return try await Program.run(
                ["bench", "--cluster", endpoint] + arguments.split(separator: " ").map(String.init))
        }

        /// Each has keys of its own: what the other stores is never taken for a wrong answer.
        @Test func parallelVerifiedBenchRunsReportNoViolations() async throws {
            try await withCluster(ClusterPlan()) { cluster in
                let arguments =
                    "--verify --keys 50 --duration 3s --mix get:0.8,invalidate:0.2 --json"
                async let one = Self.bench(cluster, arguments)
                async let other = Self.bench(cluster, arguments)
                for ending in try await [one, other] {
                    #expect(ending.code == 0, "\(ending.errors)")
                    let verification = try #require(try Self.figures(ending).verification)
                    #expect(verification.violationCount == 0)
                    #expect(verification.promised > 0 && verification.receiptsComplete > 0)
                }
            }
        }

        /// One thread would ask the first node alone.
        @Test func aBugOfTheSecondReplicaIsFoundWithoutAFlag() async throws {
            var plan = ClusterPlan(.replicated)
            plan.environment = ["MARTLET_PLANTED_BUG": "ignore-invalidations:100:n2"]
            try await withCluster(plan) { cluster in
                let ending = try await Self.bench(
                    cluster,
                    "--verify --keys 200 --duration 60s --concurrency 33 "
                        + "--mix get:0.8,invalidate:0.2")
                #expect(ending.code == 5, "\(ending)")
                #expect(ending.errors.contains("older than promised"), "\(ending)")
            }
        }

        @Test func everyReplicaIsFilledAndAsked() async throws {
            try await withCluster(ClusterPlan(.replicated)) { cluster in
                let ending = try await Self.bench(
                    cluster, "--load --keys 1000 --duration 1s --read 1 --json")
                #expect(ending.code == 0, "\(ending.errors)")
                let figures = try Self.figures(ending)
                #expect(figures.workers.first?.threads == 3)
                #expect(figures.workers.first?.nodesAsked == 3 && figures.workers.first?.nodes == 3)
                #expect(figures.hits > 100 && figures.misses == 0 && figures.errors == 0)
            }
        }

        /// What nothing was promised of proves nothing, and that is said.
        @Test func answersWithoutAPromiseAreNotCalledRight() async throws {
            try await withCluster(ClusterPlan()) { cluster in
                let ending = try await Self.bench(
                    cluster, "--verify --keys 2000 --duration 1s --read 1")
                #expect(ending.code == 0, "\(ending)")
                #expect(ending.output.contains("nothing is known of how old answers are"))
                #expect(ending.output.contains("0 of them under a promise"), "\(ending)")
            }
        }
    }
}
