import Foundation
import Testing
import TestSupport

extension EndToEndTests {
    /// `martlet trace` as a process: what it prints where, and its exit codes.
    @Suite(.serialized) struct TraceTests {
        private static let web07 = Repository.file("Tests/Traces/web07.csv.gz").path

        private struct Line: Decodable {
            struct Policy: Decodable {
                var policy: String
                var misses: Int
                var missRatio: Double
                var byteMissRatio: Double
            }

            var trace: String
            var unit: String
            var capacity: Int
            var requests: Int
            var policies: [Policy]
        }

        @Test func aPackedTraceIsReplayedToTheMissesOfOtherSimulators() async throws {
            let ending = try await Program.run([
                "trace", Self.web07, "--capacity", "205", "--policy", "lru", "--json",
            ])
            #expect(ending.code == 0, "\(ending)")
            #expect(ending.errors.isEmpty)
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            let line = try decoder.decode(Line.self, from: Data(ending.output.utf8))
            #expect(line.trace == Self.web07 && line.unit == "objects")
            #expect(line.capacity == 205 && line.requests == 76_118)
            #expect(line.policies.map(\.policy) == ["lru"])
            #expect(line.policies.map(\.misses) == [46_306])
            #expect(line.policies.map(\.missRatio) == [46_306.0 / 76_118])
            #expect(line.policies.map(\.byteMissRatio) == [46_306.0 / 76_118])
        }

        @Test func standardInputIsATraceAndItsFaultsAreNamed() async throws {
            let input = "1,a,1\n2,a,1\nbroken\n3,b,1\n"
            let refused = try await Program.run(["trace", "-"], input: input)
            #expect(refused.code == 65, "\(refused)")
            #expect(refused.output.isEmpty)
            #expect(refused.complaints.count == 1)
            #expect(refused.errors.contains("-:3: 1 field, not the three of time,key,size"))

            let skipped = try await Program.run(["trace", "-", "--skip-malformed"], input: input)
            #expect(skipped.code == 0, "\(skipped)")
            #expect(skipped.output.contains("-: 3 requests for 2 keys"))
            #expect(skipped.errors.contains("1 malformed line skipped, first -:3:"))
        }
    }
}
