import CacheModel
import CommandSurface
import Foundation
import Testing

@testable import martlet

@Suite struct TraceReportTests {
    private func misses(_ arguments: String) async throws -> [Int] {
        let words = arguments.split(separator: " ").map(String.init)
        let report = try await TraceSample.report([TraceSample.web07] + words)
        return report.sizes.flatMap(report.outcomes(at:)).map(\.counts.misses)
    }

    /// As libCacheSim counts them.
    @Test func knownPoliciesMatchReferenceMissCountsAndAreComparedWithLRU() async throws {
        let report = try await TraceSample.report([
            TraceSample.web07, "--capacity", "205", "--policy", "lru,fifo", "--policy", "sieve",
        ])
        #expect(report.outcomes.map(\.counts.misses) == [46_306, 48_470, 43_995])
        let text = report.output(.plain).text
        #expect(text.contains("   4.67 % more\n") && text.contains("  4.99 % fewer\n"), "\(text)")
        // Every size is one: bytes would say the same again.
        #expect(!text.contains("byte miss ratio"))
    }

    @Test func anObjectOfSizeOneIsAByte() async throws {
        let objects = try await misses("--capacity 10% --policy lru")
        let bytes = try await misses("--capacity 10% --policy lru --unit bytes")
        #expect(objects == bytes)
    }

    @Test func aCacheOfTheWholeFootprintMissesEachKeyOnce() async throws {
        #expect(
            try await misses("--capacity 100% --policy all")
                == Array(repeating: 20_484, count: EvictionPolicyName.allCases.count))
    }

    @Test func shardsPartTheKeysAndTheCapacity() async throws {
        let whole = try await misses("--capacity 2048 --policy lru")[0]
        let parted = try await misses("--capacity 2048 --policy lru --shards 8")[0]
        #expect(parted != whole)
        #expect(abs(parted - whole) < whole / 50)
        let tiny = try await TraceSample.withFile(text) {
            try await TraceSample.report(
                [$0, "--capacity", "1,2,9", "--shards", "8", "--skip-malformed"])
        }
        #expect(tiny.sizes == [8, 9])
    }

    private let text = Array("1,a,1\n2,b,3\n3,a,1\n4,bad\n5,b,3\n6,a,1\n".utf8)

    @Test func theJSONListsCapacitiesInTheRequestedOrder() async throws {
        let (path, text) = try await TraceSample.withFile(text) { path in
            let report = try await TraceSample.report(
                [
                    path, "--capacity", "2,1", "--policy", "fifo", "--unit", "bytes",
                    "--skip-malformed",
                ])
            return (path, report.output(.json).text)
        }
        let head = { (size: Int) in
            "{\"trace\":\"\(path)\",\"unit\":\"bytes\",\"capacity\":\(size),\"requests\":5,"
                + "\"keys\":2,\"footprint\":4,\"shards\":1,\"skipped\":1,\"policies\":[{"
        }
        let policy =
            "\"policy\":\"fifo\",\"misses\":3,\"miss_ratio\":0.6,\"byte_miss_ratio\":"
            + "\(7.0 / 9.0),\"reduction_vs_lru\":0.0}]}\n"
        #expect(text == head(2) + policy + head(1) + policy)
    }

    @Test func theTableIsAlignedAndTellsOfWhatWasSkipped() async throws {
        let output = try await TraceSample.withFile(text) { path in
            var output = try await TraceSample.report(
                [path, "--capacity", "50%,100%", "--policy", "lru,fifo", "--skip-malformed"]
            ).output(.plain)
            output.complaints = output.complaints.map { $0.replacing(path, with: "FILE") }
            return CommandOutput(
                bytes: Array(output.text.replacing(path, with: "FILE").utf8),
                complaints: output.complaints)
        }
        #expect(
            output.text == """
                FILE: 5 requests for 2 keys
                40.00 % are the first for their key: they miss at every size

                capacity  of footprint  policy  misses  miss ratio  byte miss ratio  against lru
                       1          50 %  lru          5    100.00 %         100.00 %            –
                       1          50 %  fifo         5    100.00 %         100.00 %      as many
                       2         100 %  lru          2     40.00 %          44.44 %            –
                       2         100 %  fifo         2     40.00 %          44.44 %      as many

                """)
        #expect(
            output.complaints == [
                "1 malformed line skipped, first FILE:4: 2 fields, not the three of time,key,size"
            ])
    }

    /// Ten keys in a loop: LRU finds none of them until all have room.
    @Test func theCurveFallsAndSaysWhichSizeIsEnough() async throws {
        let loop = (0..<1_000).map { "\($0),k\($0 % 10),1\n" }.joined()
        let report = try await TraceSample.withFile(Array(loop.utf8)) {
            try await TraceSample.report([$0, "--curve", "--policy", "lru"])
        }
        #expect(report.sizes == [1, 2, 3, 5, 7, 10])
        #expect(report.outcomes.map(report.missRatio) == [1, 1, 1, 1, 1, 0.01])
        let text = report.curveOutput(.plain).text
        let bar = String(repeating: "█", count: 24)
        #expect(
            text.contains("\n       7          70 %    100.00 %            –  \(bar)\n"), "\(text)")
        #expect(text.contains("\n      10         100 %      1.00 %            –  ▎\n"))
        #expect(
            text.hasSuffix(
                "\nlru: a capacity of 10 (100 %) has 99.00 % hits, at least 95 % of the possible "
                    + "99.00 %.\n"))
        #expect(report.curveOutput(.json).text.split(separator: "\n").count == 6)
    }

    @Test func whereNoKeyComesBackTheCurveSaysSo() async throws {
        let text = try await TraceSample.withFile(Array("1,a,1\n2,b,1\n".utf8)) { path in
            try await TraceSample.report([path, "--curve"]).curveOutput(.plain).text
        }
        #expect(text.contains("No key is asked for twice: no cache can help."))
    }
}
