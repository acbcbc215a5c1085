import CacheModel
import Testing

@testable import CacheDisk

/// Segments are emptied because a share is full, and what must not get lost meanwhile.
@Suite struct ShareCleaningTests {
    private static let value = String(repeating: "v", count: 100)
    private static let long = String(repeating: "long", count: 300)

    private static func bench() -> DiskBench { DiskBench(DiskCleaningTests.geometry) }

    /// Replaces five keys of "n" and counts the stores that were appended.
    private static func overwrite(_ bench: inout DiskBench, stores: Int) -> Int {
        var appended = 0
        for number in 0..<stores {
            let cause = bench.set("hot \(number % 5)", "\(number)" + value, in: "n")
            appended += cause == nil ? 1 : 0
            bench.settle()
        }
        return appended
    }

    private static func store(_ bench: inout DiskBench, others: Int) {
        for number in 0..<others {
            bench.set("still \(number)", value)
            bench.settle()
        }
    }

    private static func expectOthers(_ bench: inout DiskBench, _ count: Int) {
        for number in 0..<count {
            let found = bench.get("still \(number)")
            #expect(found == value, "cleaning lost \(number)")
        }
    }

    // MARK: Values in parts

    /// The segment is believed until all of it has been appended again.
    @Test(arguments: [true, false])
    func aLongValueNotMovedByReclaimingStaysRemoved(isShareFull: Bool) {
        var bench = Self.bench()
        bench.set("a", Self.long, in: "n")
        bench.settle()
        bench.set("b", Self.long, in: "m")
        bench.settle()
        if isShareFull {
            bench.setShare(1, of: "n")
        } else {
            let from = bench.tier.log.fileOffset(SegmentNumber(1), DiskSegmentHeader.bytes)
            bench.unreadable = from..<from + 64
        }
        let fingerprint = bench.fingerprint("a", in: "n")
        var moments = 0
        for number in 0..<2_000 where moments == 0 {
            bench.set("busy", "\(number)" + Self.value)
            repeat {
                bench.tier.tick()
                let isKept = bench.tier.reclaimer.current?.keepsAll == true
                let found = bench.tier.log.index.find(fingerprint)
                guard isKept, found == nil else { continue }
                moments += 1
                bench.remove("a", in: "n")
                var next = bench.killed
                let after = next.get("a", in: "n")
                #expect(after == nil)
            } while bench.step()
        }
        #expect(moments > 0, "the segment was still believed")
        let other = bench.get("b", in: "m")
        #expect(other == Self.long)
    }

    @Test func aLongValueThatHasExpiredNeedsNoTombstone() {
        var bench = Self.bench()
        bench.set("a", Self.long, in: "n", until: 1_000)
        bench.set("kept", Self.value)
        bench.settle()
        bench.tier.now = TierTime(milliseconds: 1_000)
        for number in 0..<400 where bench.tier.statistics.reclaimedSegments == 0 {
            bench.set("busy", "\(number)" + Self.value)
            bench.settle()
        }
        let found = bench.tier.holds(bench.fingerprint("a", in: "n"))
        let done = bench.tier.statistics
        #expect(done.reclaimedSegments == 1 && done.tombstones == 0 && !found)
    }

    @Test func aLongValueMayReplaceOneThatStillWaits() {
        var bench = Self.bench()
        bench.setShare(10, of: "n")
        let (old, new) = (
            String(repeating: "old", count: 1_000), String(repeating: "new", count: 1_000)
        )
        #expect(bench.set("k", old, in: "n") == nil)
        #expect(bench.set("other", new, in: "n") == .overShare)
        #expect(bench.set("k", new, in: "n") == nil)
        bench.settle()
        let found = bench.get("k", in: "n")
        let bound = DiskCleaningTests.geometry.ringBytes / 10
        #expect(found == new && bench.counted("n") <= bound)
    }

    // MARK: Room in a share

    @Test func overwritesReclaimAFullShareWithoutEvictingOtherNamespaces() {
        let others = 160
        var bench = Self.bench()
        bench.setShare(10, of: "n")
        Self.store(&bench, others: others)
        let before = bench.tier.statistics.writtenBytes
        let appended = Self.overwrite(&bench, stores: 2_000)
        #expect(appended > 200 && appended < 2_000, "\(appended)")
        #expect(bench.tier.statistics.writtenBytes - before < 3 * 2_000 * 180)
        Self.expectOthers(&bench, others)
    }

    /// 0 %, and a value that is longer than the whole share.
    @Test(arguments: [0, 1])
    func aStoreThatNeverFitsCleansNothing(share: Int) {
        var bench = Self.bench()
        bench.set("short", "value", in: "n")
        for number in 0..<100 {
            bench.set("busy", "\(number)" + Self.value)
            bench.settle()
        }
        bench.setShare(share, of: "n")
        let (credit, reclaimed) = (
            bench.tier.log.cleaning.credit, bench.tier.statistics.reclaimedSegments
        )
        for _ in 0..<20 {
            #expect(bench.set("k", Self.long, in: "n") == .overShare)
            bench.settle()
        }
        let (creditAfter, after) = (
            bench.tier.log.cleaning.credit, bench.tier.statistics.reclaimedSegments
        )
        #expect(creditAfter == credit && after == reclaimed && bench.tier.declinedCount == 20)
    }
}
