import CacheModel
import Testing

@testable import CacheDisk

/// Segments that leave the ring and return, while something goes wrong or takes long.
@Suite struct DiskSpaceTroubleTests {
    private static let plenty = DiskSpaceTests.plenty

    private static func bench(
        _ geometry: DiskGeometry = DiskSpaceTests.geometry, withRoomFor segmentCount: Int? = nil
    ) -> DiskBench {
        DiskBench(geometry, rule: DiskSpaceTests.rule, withRoomFor: segmentCount)
    }

    private static func geometry(
        slotBytes: Int = 512, segmentBytes: Int = 8_192, segmentCount: Int
    ) throws -> DiskGeometry {
        try #require(
            DiskGeometry(
                checkpointBytes: 4_096, tailBytes: 4_096 + 8 * slotBytes,
                segmentBytes: segmentBytes, segmentCount: segmentCount))
    }

    private static func set(_ number: Int, in bench: inout DiskBench) {
        bench.set("key \(number)", "\(number)" + String(repeating: "-", count: 300))
    }

    private static func outside(_ bench: borrowing DiskBench) -> [Int] {
        let ring = bench.tier.log.ring
        return (0..<bench.geometry.segmentCount).filter { !ring.contains($0) }
    }

    // MARK: Marks

    /// A process did not see a mark, used its place, and was killed before what it appended had
    /// left the tail. The next process reads the mark: if it were believed, what was removed would
    /// come back.
    @Test func aMarkThatWasUnreadableOnceHidesNoSegmentOfTheLog() throws {
        let geometry = try Self.geometry(slotBytes: 4_096, segmentCount: 12)
        var first = Self.bench(geometry)
        for number in 0..<40 {
            Self.set(number, in: &first)
            first.settle()
        }
        first.tier.noteFreeBytes(0)
        first.settle()
        let marks = Self.outside(first).map { first.tier.geometry.markOffset($0) + 20 }
        #expect(marks.count == 4)
        var image = first.image
        for mark in marks { image[mark] ^= 4 }
        var second = DiskBench(recovering: image, geometry, rule: DiskSpaceTests.rule)
        second.settle()
        #expect(Self.outside(second).isEmpty)
        // The next segment would begin at one of the marked places.
        var number = 40
        while second.tier.log.place(of: second.tier.log.next(after: second.tier.log.active)) != 8 {
            Self.set(number, in: &second)
            second.settle()
            number += 1
        }
        let before = second.tier.log.active
        while second.tier.log.active == before {
            Self.set(number, in: &second)
            number += 1
        }
        for removed in 0..<10 { second.remove("key \(removed)") }
        let used = second.tier.log.active
        while second.tier.log.active == used {
            Self.set(number, in: &second)
            number += 1
        }
        image = second.image
        for mark in marks { image[mark] ^= 4 }
        var third = DiskBench(recovering: image, geometry, rule: DiskSpaceTests.rule)
        third.settle()
        #expect(third.unusable == nil && Self.outside(third) == [10, 11])
        for removed in 0..<10 { #expect(third.get("key \(removed)") == nil) }
        let newest = third.get("key \(number - 1)")
        #expect(newest != nil)
    }

    // MARK: Failures

    /// A part of the place may be released then: it is not used before it is reserved.
    @Test func aReleaseThatFailsForWantOfRoomIsTriedAgainLater() {
        var bench = Self.bench()
        bench.releaseFailure = .noRoom
        bench.tier.noteFreeBytes(0)
        bench.settle()
        #expect(bench.tier.isWhole && bench.holes.isEmpty && bench.releaseCount == 1)
        #expect(!bench.news.contains { if case .spaceKept = $0 { true } else { false } })
        for number in 0..<300 {
            Self.set(number, in: &bench)
            bench.settle()
        }
        bench.releaseFailure = nil
        bench.tier.noteFreeBytes(0)
        bench.settle()
        #expect(bench.tier.isWhole == true)
        bench.tier.now = TierTime(milliseconds: 30_000)
        bench.tier.noteFreeBytes(0)
        bench.settle()
        #expect(Self.outside(bench).count == 4)
    }

    @Test func aSegmentStaysOutOfUseAfterReleaseAndReservationFail() {
        var bench = Self.bench()
        (bench.releaseFailure, bench.reserveFailure) = (.noRoom, .noRoom)
        bench.tier.noteFreeBytes(0)
        bench.settle()
        #expect(Self.outside(bench) == [11] && !bench.tier.isWhole)
        (bench.releaseFailure, bench.reserveFailure) = (nil, nil)
        var next = bench.killed
        #expect(Self.outside(next) == [11])
        for number in 0..<300 {
            Self.set(number, in: &next)
            next.settle()
        }
        let newest = next.get("key 299")
        #expect(newest != nil)
    }

    /// A file system may take what there is, and then say that it is too little.
    @Test func aReserveThatFailsGivesItsPartBack() {
        var bench = Self.bench()
        bench.tier.noteFreeBytes(0)
        bench.settle()
        let before = bench.releaseCount
        bench.reserveFailure = .noRoom
        bench.tier.noteFreeBytes(Self.plenty)
        bench.settle()
        #expect(bench.releaseCount == before + 1 && Self.outside(bench).count == 4)
    }

    @Test func aPlaceCountsOnceItCanBeUsed() {
        var bench = Self.bench(withRoomFor: 11)
        let bytes = bench.tier.roomBytes
        bench.reserveFailure = .noRoom
        bench.tier.noteFreeBytes(Self.plenty)
        bench.tier.tick()
        #expect(!bench.queue.isEmpty && !bench.tier.isWhole && bench.tier.roomBytes == bytes)
        bench.settle()
        #expect(bench.tier.isWhole == false)
        bench.reserveFailure = nil
        bench.tier.now = TierTime(milliseconds: 30_000)
        bench.tier.noteFreeBytes(Self.plenty)
        bench.settle()
        #expect(bench.tier.isWhole && bench.tier.roomBytes == bench.geometry.fileBytes)
    }

    // MARK: What takes long

    /// A full ring of many segments, of which nothing is kept when it is reclaimed.
    private static func fullBench() throws -> DiskBench {
        var bench = bench(try geometry(segmentCount: 64))
        bench.tier.movedShareMax = 0
        var number = 0
        while bench.tier.log.active.rawValue < 100 {
            set(number, in: &bench)
            bench.settle()
            number += 1
        }
        return bench
    }

    /// Lets the tier work, and carries out what it commands but for the first release or reserve.
    private static func hold(in bench: inout DiskBench) throws -> DiskCommand {
        var held: DiskCommand?
        for _ in 0..<200 {
            bench.tier.tick()
            switch bench.queue.first {
            case .release?, .reserve?: held = bench.queue.removeFirst()
            default: _ = bench.step()
            }
        }
        return try #require(held)
    }

    /// The release waits behind other writes, or the file system takes long for it.
    @Test(arguments: [1, 3])
    func aReleaseThatTakesLongEmptiesNoFurtherSegments(missing: Int) throws {
        var bench = try Self.fullBench()
        let oldest = bench.tier.oldestSegment.rawValue
        bench.tier.noteFreeBytes(DiskSpaceTests.leftFree - missing * DiskSpaceTests.step)
        let release = try Self.hold(in: &bench)
        #expect(bench.tier.oldestSegment.rawValue <= oldest + 1)
        bench.queue.append(release)
        bench.settle()
        #expect(Self.outside(bench).count == missing)
        #expect(bench.tier.oldestSegment.rawValue <= oldest + UInt64(missing))
    }

    @Test func theLogWaitsForAPlaceThatIsOnItsWayOut() throws {
        var bench = Self.bench(withRoomFor: 5)
        bench.tier.noteFreeBytes(0)
        let release = try Self.hold(in: &bench)
        #expect(bench.tier.space.moving == 4)
        var isShed = false
        for number in 0..<150 {
            let cause = bench.set("key \(number)", String(repeating: "-", count: 300))
            isShed = isShed || cause == .noSegment
            bench.tier.tick()
            while bench.step() {}
            #expect(bench.tier.log.place(of: bench.tier.log.active) != 4)
        }
        #expect(isShed, "the log came to the place")
        bench.queue.append(release)
        bench.settle()
        #expect(Self.outside(bench) == Array(4..<12))
        Self.set(1_000, in: &bench)
        var next = bench.killed
        let newest = next.get("key 1000")
        #expect(newest != nil && next.recovered?.damageCount == 0)
    }

    @Test func aReserveThatTakesLongEmptiesNoSegments() throws {
        var bench = try Self.fullBench()
        bench.tier.noteFreeBytes(DiskSpaceTests.leftFree - DiskSpaceTests.step)
        bench.settle()
        // The place that returns is to be the second ahead, between two that are free.
        let place = try #require(Self.outside(bench).first)
        var number = 10_000
        while bench.tier.log.place(of: bench.tier.log.next(after: bench.tier.log.active)) + 1
            != place
        {
            Self.set(number, in: &bench)
            bench.settle()
            number += 1
        }
        let oldest = bench.tier.oldestSegment
        bench.tier.noteFreeBytes(Self.plenty)
        let reserve = try Self.hold(in: &bench)
        #expect(bench.tier.space.moving == place && bench.tier.oldestSegment == oldest)
        bench.queue.append(reserve)
        bench.settle()
        #expect(bench.tier.isWhole == true)
    }

    /// The next segment waits for a place that returns directly ahead of the log, and removals need
    /// room until then.
    @Test(arguments: [true, false])
    func aPlaceReturnsDirectlyAheadOnlyIfRemovalsHaveRoomMeanwhile(hasRoom: Bool) {
        var bench = Self.bench(withRoomFor: 5)
        while bench.tier.log.place(
            of: bench.tier.log.active == .none ? SegmentNumber(1) : bench.tier.log.active) < 4
        {
            bench.set("key", String(repeating: "-", count: 100))
            bench.settle()
        }
        if !hasRoom {
            while bench.tier.log.fits(bench.tier.log.removalReserve) {
                bench.set("key", String(repeating: "-", count: 100))
                bench.settle()
            }
        }
        #expect(bench.tier.log.place(of: bench.tier.log.active) == 4 && bench.tier.log.canBegin)
        bench.tier.noteFreeBytes(Self.plenty)
        bench.tier.tick()
        #expect((bench.tier.space.moving == 5) == hasRoom)
        for number in 0..<4 { bench.remove("none \(number)") }
        #expect(bench.tier.log.tail.state.isUnsafe == false)
        bench.settle()
    }

    /// Its first part would be gone before its last is appended.
    @Test func aShrunkRingDeclinesTooLargeValuesWithoutEviction() throws {
        let geometry = try Self.geometry(slotBytes: 4_096, segmentCount: 32)
        var bench = Self.bench(geometry, withRoomFor: 4)
        for number in 0..<20 {
            Self.set(number, in: &bench)
            bench.settle()
        }
        let oldest = bench.tier.oldestSegment
        let long = String(repeating: "l", count: geometry.ringBytes / 5)
        let shed = bench.set("long", long)
        #expect(shed == .tooLarge)
        bench.settle()
        #expect(bench.tier.oldestSegment == oldest)
        let short = String(repeating: "s", count: 4 * 8_192 / 5)
        let stored = bench.set("short", short)
        bench.settle()
        let found = bench.get("short")
        #expect(stored == nil && found != nil)
    }
}
