import CacheModel
import Testing

@testable import CacheDisk

/// Segments leave the ring while the file system is short of space, and come back.
@Suite struct DiskSpaceTests {
    /// Twelve segments of two pages, of which four stay at least.
    static let geometry: DiskGeometry = {
        let geometry = DiskGeometry(
            checkpointBytes: 4_096, tailBytes: 4_096 + 8 * 512, segmentBytes: 8_192,
            segmentCount: 12)
        guard let geometry else { preconditionFailure("a file can have these sizes") }
        return geometry
    }()
    static let leftFree = 1 << 20
    static let rule = DiskSpaceRule(leftFreeBytes: leftFree, shardCount: 1)
    /// What a segment gives back.
    static let step = 4_096
    /// So much is free when a segment may come back.
    static let plenty = leftFree + leftFree / 8 + step

    private static func value(_ number: Int) -> String {
        "\(number)" + String(repeating: "-", count: 300)
    }

    /// Stores so many keys, each once.
    private static func fill(_ bench: inout DiskBench, _ numbers: Range<Int>) {
        for number in numbers {
            bench.set("key \(number)", value(number))
            bench.settle()
        }
    }

    private static func measure(_ bench: inout DiskBench, _ bytes: Int, times: Int = 1) {
        for _ in 0..<times {
            bench.tier.noteFreeBytes(bytes)
            bench.settle()
        }
    }

    /// Of the keys up to there, which are found; each has its own value.
    private static func found(_ bench: inout DiskBench, of count: Int) -> [Int] {
        (0..<count).filter { number in
            let value = bench.get("key \(number)")
            #expect(value == nil || value == Self.value(number))
            return value != nil
        }
    }

    private static func places(_ bench: borrowing DiskBench) -> [Int] {
        let ring = bench.tier.log.ring
        return (0..<geometry.segmentCount).filter { !ring.contains($0) }
    }

    @Test func freeSegmentsAreGivenBackBeforeAnythingIsLost() {
        var bench = DiskBench(Self.geometry, rule: Self.rule)
        Self.fill(&bench, 0..<30)
        Self.measure(&bench, Self.leftFree - 3 * Self.step)
        #expect(Self.places(bench) == [9, 10, 11])
        #expect(bench.holes.count == 3)
        #expect(bench.tier.roomBytes == Self.geometry.fileBytes - 3 * Self.step)
        #expect(!bench.tier.isWhole && bench.tier.statistics.withdrawnSegments == 3)
        #expect(Self.found(&bench, of: 30).count == 30)
        // Enough is free: no more is given back, and nothing returns.
        Self.measure(&bench, Self.leftFree, times: 5)
        Self.measure(&bench, Self.plenty - 1, times: 5)
        #expect(Self.places(bench) == [9, 10, 11])
    }

    @Test func aMeasurementAllowsFourSegmentsAndTheLeastNumberStays() {
        var bench = DiskBench(Self.geometry, rule: Self.rule)
        Self.measure(&bench, 0)
        #expect(Self.places(bench) == [8, 9, 10, 11])
        Self.measure(&bench, 0, times: 9)
        #expect(Self.places(bench) == Array(4..<12))
        Self.fill(&bench, 0..<120)
        #expect(Self.found(&bench, of: 120).last == 119)
    }

    @Test func theOldestSegmentsGoFirstAndTheLogPassesTheirPlaces() {
        var bench = DiskBench(Self.geometry, rule: Self.rule)
        Self.fill(&bench, 0..<260)
        let before = Self.found(&bench, of: 260)
        // Found records count as used, and would be kept.
        bench.tier.movedShareMax = 0
        Self.measure(&bench, 0)
        let after = Self.found(&bench, of: 260)
        #expect(after.count < before.count && after == before.suffix(after.count))
        #expect(bench.tier.log.ring.count == 8 && bench.holes.count == 4)
        let newest = bench.tier.log.active.rawValue
        // Several times round.
        Self.fill(&bench, 260..<900)
        #expect(bench.tier.log.active.rawValue > newest + 24)
        #expect(bench.holes.count == 4)
        let late = Self.found(&bench, of: 900)
        #expect(late.last == 899 && late.count > 60)
        var next = bench.killed
        #expect(next.unusable == nil && next.recovered?.damageCount == 0)
        #expect(Self.found(&next, of: 900) == late)
        #expect(Self.places(next) == Self.places(bench))
    }

    @Test func segmentsReturnOneAtATimeOnceEnoughIsFree() {
        var bench = DiskBench(Self.geometry, rule: Self.rule)
        Self.measure(&bench, 0)
        for left in [3, 2, 1, 0] {
            Self.measure(&bench, Self.plenty)
            #expect(bench.holes.count == left && Self.places(bench).count == left)
        }
        #expect(bench.tier.isWhole && bench.tier.roomBytes == Self.geometry.fileBytes)
        Self.fill(&bench, 0..<600)
        var next = bench.killed
        #expect(Self.places(next).isEmpty)
        #expect(Self.found(&next, of: 600).last == 599)
    }

    /// In the middle of the log a place would not be used before the log comes round.
    @Test func onlyPlacesAheadOfTheLogReturn() {
        var bench = DiskBench(Self.geometry, rule: Self.rule)
        bench.tier.movedShareMax = 0
        Self.fill(&bench, 0..<260)
        Self.measure(&bench, 0)
        // The log passes them, and they lie between its oldest segment and its newest.
        var number = 260
        while bench.tier.newestSegment.rawValue % 12 != 9 {
            Self.fill(&bench, number..<number + 1)
            number += 1
        }
        let log = bench.tier.oldestSegment.rawValue...bench.tier.newestSegment.rawValue
        let inside = Self.places(bench).filter { place in
            log.contains { Int(($0 - 1) % 12) == place }
        }
        Self.measure(&bench, Self.plenty, times: 12)
        #expect(Self.places(bench) == inside && !inside.isEmpty)
        Self.fill(&bench, number..<number + 300)
        Self.measure(&bench, Self.plenty, times: 12)
        #expect(Self.places(bench).isEmpty)
    }

    @Test func aPlaceThatCannotBeReservedIsTriedAgainLater() {
        var bench = DiskBench(Self.geometry, rule: Self.rule)
        Self.measure(&bench, 0)
        bench.reserveFailure = .noRoom
        Self.measure(&bench, Self.plenty)
        #expect(Self.places(bench).count == 4 && bench.tier.state == .open)
        bench.reserveFailure = nil
        Self.measure(&bench, Self.plenty, times: 3)
        #expect(Self.places(bench).count == 4)
        bench.tier.now = TierTime(milliseconds: 30_000)
        Self.measure(&bench, Self.plenty)
        #expect(Self.places(bench).count == 3)
    }

    @Test func whereNoHoleCanBeMadeTheRingStaysWhole() {
        var bench = DiskBench(Self.geometry, rule: Self.rule)
        bench.releaseFailure = .unsupported
        Self.measure(&bench, 0, times: 5)
        let told = bench.news.count {
            if case .spaceKept = $0 { true } else { false }
        }
        #expect(told == 1 && bench.tier.isWhole && bench.holes.isEmpty)
        Self.fill(&bench, 0..<500)
        var next = bench.killed
        #expect(Self.places(next).isEmpty && Self.found(&next, of: 500).last == 499)
    }

    @Test func aTierBeginsWithTheSegmentsThatHaveRoom() {
        var bench = DiskBench(Self.geometry, rule: Self.rule, withRoomFor: 5)
        #expect(bench.tier.state == .open && Self.places(bench) == Array(5..<12))
        #expect(bench.tier.roomBytes == Self.geometry.fileBytes - 7 * Self.step)
        Self.fill(&bench, 0..<300)
        var next = bench.killed
        #expect(Self.places(next) == Array(5..<12) && Self.found(&next, of: 300).last == 299)
        next.tier.now = TierTime(milliseconds: 50)
        Self.fill(&next, 300..<400)
        #expect(Self.found(&next, of: 400).last == 399)
    }

    /// Without a rule no limit is kept: the places return as the log gets to them.
    @Test func aRestartWithoutTheSettingTakesEverythingBack() {
        var bench = DiskBench(Self.geometry, rule: Self.rule)
        bench.tier.movedShareMax = 0
        Self.fill(&bench, 0..<260)
        Self.measure(&bench, 0)
        Self.fill(&bench, 260..<330)
        var next = DiskBench(recovering: bench.image, Self.geometry, holes: bench.holes)
        next.settle()
        #expect(Self.found(&next, of: 330) == Self.found(&bench, of: 330))
        Self.fill(&next, 330..<700)
        #expect(next.tier.isWhole && next.holes.isEmpty)
        #expect(Self.found(&next, of: 700).last == 699)
    }

    /// A kill between a mark and its hole: the place is out of the ring and has its room.
    @Test func aStartMakesTheHolesOfAllMarksAgain() {
        var bench = DiskBench(Self.geometry, rule: Self.rule)
        Self.fill(&bench, 0..<30)
        bench.tier.noteFreeBytes(0)
        bench.tier.tick()
        let hasMarked = bench.step()
        #expect(hasMarked && bench.holes.isEmpty)
        var next = bench.killed
        #expect(Self.places(next) == [11] && next.holes.count == 1)
        #expect(Self.found(&next, of: 30).count == 30)
        #expect(next.tier.state == .open)
    }

    @Test func aReadOfAReleasedSegmentIsAMissNotDamage() {
        var bench = DiskBench(Self.geometry, rule: Self.rule)
        bench.tier.movedShareMax = 0
        Self.fill(&bench, 0..<260)
        let old = (0..<260).first {
            bench.tier.log.index.find(bench.fingerprint("key \($0)")) != nil
        }
        let fingerprint = bench.fingerprint("key \(old ?? 0)")
        guard case .reading(let ticket) = bench.tier.find(fingerprint) else {
            Issue.record("it is on disk")
            return
        }
        let read = bench.queue.removeLast()
        Self.measure(&bench, 0)
        #expect(bench.tier.log.index.find(fingerprint) == nil)
        let zeros = DiskCompletion.Outcome.read([UInt8](repeating: 0, count: 400))
        bench.tier.completed(DiskCompletion(read.ticket, zeros))
        let answer = bench.answer(to: ticket)
        #expect(answer != nil && answer.flatMap { $0 } == nil)
        #expect(bench.tier.statistics.damagedRecords == 0)
    }

    @Test func anEndInOrderKeepsWithdrawnPlacesOut() {
        var bench = DiskBench(Self.geometry, rule: Self.rule)
        Self.fill(&bench, 0..<260)
        Self.measure(&bench, 0)
        bench.tier.noteFreeBytes(0)
        bench.tier.tick()
        bench.tier.now = TierTime(milliseconds: 500)
        bench.tier.close(DiskBench.checkpoint, calendar: 2_000_000)
        while bench.step() {}
        #expect(bench.tier.state == .closed)
        var next = bench.killed
        #expect(next.recovered?.damageCount == 0 && Self.places(next).count >= 4)
        #expect(Self.found(&next, of: 260).last == 259)
    }

    @Test func anInspectionCountsWithdrawnPlacesAndFindsNoDamage() throws {
        var bench = DiskBench(Self.geometry, rule: Self.rule)
        bench.tier.movedShareMax = 0
        Self.fill(&bench, 0..<260)
        Self.measure(&bench, 0)
        Self.fill(&bench, 260..<400)
        let found = try InspectionBench().inspect(bench.image)
        #expect(found.facts.withdrawnCount == 4 && found.facts.damageCount == 0)
        #expect(found.facts.segments.count + found.facts.freeCount == 8)
        #expect(found.recoveredCount == bench.tier.entryCount)
    }

    /// What was passed over there looks like a segment that was lost, and all before it with it.
    @Test func aDamagedMarkLosesEntriesAndBringsNoneBack() {
        var bench = DiskBench(Self.geometry, rule: Self.rule)
        Self.fill(&bench, 0..<260)
        Self.measure(&bench, 0)
        for number in stride(from: 0, to: 260, by: 3) { bench.remove("key \(number)") }
        bench.settle()
        Self.fill(&bench, 260..<420)
        for place in Self.places(bench) {
            var image = bench.image
            image[bench.tier.geometry.markOffset(place) + 20] ^= 4
            var next = DiskBench(recovering: image, Self.geometry, rule: Self.rule)
            next.settle()
            let isThere = Self.found(&next, of: 420)
            #expect(isThere.allSatisfy { $0 >= 260 || $0 % 3 != 0 })
            #expect(next.tier.state == .open && Self.places(next).count == 3)
        }
    }

    /// Marks that no tier writes: on the newest segment, and on every place.
    @Test func marksThatCannotBeAreNotBelieved() {
        var bench = DiskBench(Self.geometry, rule: Self.rule)
        Self.fill(&bench, 0..<260)
        let image = bench.image
        func marked(_ places: [Int]) -> [UInt8] {
            var image = image
            for place in places {
                let bytes = WithdrawalMark(place: place).encoded(bench.tier.log.seal)
                let from = bench.tier.geometry.markOffset(place)
                image.replaceSubrange(from..<from + bytes.count, with: bytes)
            }
            return image
        }
        for places in [
            [bench.tier.log.place(of: bench.tier.log.active)], Array(0..<12), Array(0..<10),
        ] {
            var next = DiskBench(recovering: marked(places), Self.geometry, rule: Self.rule)
            next.settleWithin("marked \(places)")
            #expect(Self.places(next).isEmpty)
            Self.fill(&next, 260..<500)
            #expect(Self.found(&next, of: 500).last == 499)
        }
        let other = WithdrawalMark(place: 3).encoded(bench.tier.log.seal)
        let bytes = [UInt8](repeating: 0, count: DiskSegmentHeader.bytes) + other
        bytes.withUnsafeBytes {
            #expect(WithdrawalMark($0, at: 3, bench.tier.log.seal) == WithdrawalMark(place: 3))
            #expect(WithdrawalMark($0, at: 4, bench.tier.log.seal) == nil)
            #expect(WithdrawalMark($0, at: 3, RecordSeal(tier: 1)) == nil)
        }
    }
}
