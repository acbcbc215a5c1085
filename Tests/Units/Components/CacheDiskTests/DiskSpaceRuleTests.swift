import Testing

@testable import CacheDisk

@Suite struct DiskSpaceRuleTests {
    /// 1 MiB segments, of which each gives back all but a page.
    private static func geometry(_ segmentCount: Int = 32) throws -> DiskGeometry {
        try #require(
            DiskGeometry(
                checkpointBytes: 4_096, tailBytes: 64 << 10, segmentBytes: 1 << 20,
                segmentCount: segmentCount))
    }

    private static let step = 1 << 20 - 4_096

    @Test func whatIsMissingIsDividedByTheShards() throws {
        let geometry = try Self.geometry()
        let rule = DiskSpaceRule(leftFreeBytes: 100 << 20, shardCount: 4)
        #expect(rule.missingSegments(freeBytes: 100 << 20, geometry) == 0)
        #expect(rule.missingSegments(freeBytes: 100 << 20 - 1, geometry) == 1)
        #expect(rule.missingSegments(freeBytes: 100 << 20 - 4 * Self.step, geometry) == 1)
        #expect(rule.missingSegments(freeBytes: 100 << 20 - 4 * Self.step - 1, geometry) == 2)
    }

    @Test func betweenGivingBackAndTakingBackLiesAnEighth() throws {
        let geometry = try Self.geometry()
        let rule = DiskSpaceRule(leftFreeBytes: 800 << 20, shardCount: 4)
        let enough = 900 << 20 + 4 * Self.step
        #expect(rule.hasRoom(freeBytes: enough, geometry))
        #expect(!rule.hasRoom(freeBytes: enough - 1, geometry))
        // Once every shard has taken a segment, none is given back.
        #expect(rule.missingSegments(freeBytes: enough - 4 * Self.step, geometry) == 0)
        // Of a small limit it is a segment for each shard.
        let small = DiskSpaceRule(leftFreeBytes: 1 << 20, shardCount: 4)
        #expect(small.hasRoom(freeBytes: 1 << 20 + 8 * Self.step, geometry))
        #expect(!small.hasRoom(freeBytes: 1 << 20 + 8 * Self.step - 1, geometry))
    }

    @Test func tiersStartWithTheirFreeShareAndAtLeastAnEighth() throws {
        let geometry = try Self.geometry(64)
        let rule = DiskSpaceRule(leftFreeBytes: 10 << 20, shardCount: 2)
        #expect(geometry.segmentCountMin == 8)
        func count(_ bytes: Int) -> Int {
            rule.segmentCount(freeBytes: bytes, nodeBytes: 0, fileBytes: 0, geometry)
        }
        let ten = 10 << 20 + 2 * geometry.roomBytes(10)
        #expect(count(ten) == 10 && count(ten - 2) == 9)
        #expect(count(0) == 8 && count(10 << 20) == 8)
        #expect(count(10 << 20 + 2 * geometry.fileBytes) == 64)
        #expect(count(1 << 40) == 64)
        #expect(geometry.roomBytes(64) == geometry.fileBytes)
    }

    /// The other shards have more than their part, and keep it.
    @Test func aTierBeginsWithNoMoreThanIsFreeBesideTheOthers() throws {
        let geometry = try Self.geometry(64)
        let rule = DiskSpaceRule(leftFreeBytes: 10 << 20, shardCount: 4)
        let free = 10 << 20 + geometry.roomBytes(12)
        let others = 3 * geometry.fileBytes
        func count(_ fileBytes: Int) -> Int {
            rule.segmentCount(
                freeBytes: free, nodeBytes: others + fileBytes, fileBytes: fileBytes, geometry)
        }
        #expect(count(0) == 12)
        #expect(count(geometry.releasable(0).count) == 13)
        let endless = rule.segmentCount(
            freeBytes: .max, nodeBytes: others, fileBytes: 0, geometry)
        #expect(endless == 64)
    }

    @Test func aSegmentOfOnePageGivesNothingBack() throws {
        let rule = DiskSpaceRule(leftFreeBytes: 1 << 40, shardCount: 1)
        #expect(DiskBench.geometry.segmentBytes == 4_096)
        let count = rule.segmentCount(
            freeBytes: 0, nodeBytes: 0, fileBytes: 0, DiskBench.geometry)
        #expect(count == 6)
        var bench = DiskBench(rule: rule)
        bench.tier.noteFreeBytes(0)
        bench.settle()
        #expect(bench.tier.isWhole == true)
    }
}
