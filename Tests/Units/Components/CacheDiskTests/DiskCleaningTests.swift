import Testing

@testable import CacheDisk

/// A ring of which little is shown is cleaned: it forgets nothing, however often it goes round.
@Suite struct DiskCleaningTests {
    static let geometry: DiskGeometry = {
        let geometry = DiskGeometry(
            checkpointBytes: 4_096, tailBytes: 4_096 + 8 * 512, segmentBytes: 4_096,
            segmentCount: 16)
        guard let geometry else { preconditionFailure("a file can have these sizes") }
        return geometry
    }()
    static let steady = (0..<60).map { "steady\($0)" }

    /// A ring with keys that stay, which has gone round once: one key is replaced all the time.
    private static func round(_ geometry: DiskGeometry = geometry) -> DiskBench {
        var bench = DiskBench(geometry)
        for key in steady {
            bench.set(key, value(of: key))
            bench.settle()
        }
        replace(&bench, rounds: 1)
        return bench
    }

    private static func value(of key: String) -> String {
        key + String(repeating: ".", count: 100)
    }

    /// - Returns: how many stores found no free segments.
    @discardableResult
    private static func replace(_ bench: inout DiskBench, rounds: Int) -> Int {
        let end = bench.tier.statistics.appendedBytes + UInt64(rounds * geometry.ringBytes)
        var (number, refused) = (0, 0)
        while bench.tier.statistics.appendedBytes < end {
            number += 1
            refused += bench.tier.hasFreeSegments ? 0 : 1
            bench.set("busy\(number % 7)", "\(number)" + String(repeating: "-", count: 200))
            bench.settle()
        }
        return refused
    }

    @Test func nothingIsForgottenHoweverOftenTheRingGoesRound() {
        var bench = Self.round()
        #expect(Self.replace(&bench, rounds: 5) == 0, "a store finds free segments")
        for key in Self.steady { #expect(bench.get(key) == Self.value(of: key)) }
        let done = bench.tier.statistics
        #expect(done.movedRecords > 0 && done.storesShed == 0)
        #expect(done.writtenBytes < 2 * done.payloadBytes, "and no more is written than it takes")
        var next = bench.killed
        for key in Self.steady { #expect(next.get(key) == Self.value(of: key)) }
    }

    @Test func aLongValueIsKeptToo() {
        var bench = DiskBench(Self.geometry)
        let long = String(repeating: "long", count: 600)
        bench.set("long", long)
        Self.replace(&bench, rounds: 4)
        #expect(bench.get("long") == long)
        var next = bench.killed
        #expect(next.get("long") == long)
    }

    /// What is shown is counted the same while it changes and by who reads it all after a kill.
    @Test func whatIsShownIsCountedExactly() {
        var bench = Self.round()
        bench.remove(Self.steady[3])
        for tier in [bench.counts, bench.killed.counts] {
            #expect(tier.counted == tier.summed)
        }
    }

    @Test func aKillAtAnyMomentOfCleaningLosesNothing() {
        var bench = Self.round()
        let reclaimed = bench.tier.statistics.reclaimedSegments
        var (number, killedWhileCleaning) = (0, 0)
        while bench.tier.statistics.reclaimedSegments < reclaimed + 16 {
            number += 1
            bench.set("busy", "\(number)" + String(repeating: "-", count: 200))
            repeat {
                bench.tier.tick()
                guard bench.tier.reclaimer.current?.keepsAll == true else { continue }
                killedWhileCleaning += 1
                var next = bench.killed
                for key in Self.steady { #expect(next.get(key) == Self.value(of: key)) }
            } while bench.step()
        }
        #expect(killedWhileCleaning > 0)
    }

    /// Read again after a restart it may be whole, and old by then.
    @Test(arguments: [true, false])
    func aRecordUnreadableDuringReclaimingStaysAMissAfterRestart(isRead: Bool) {
        var bench = Self.round()
        let damagedBefore = bench.tier.statistics.damagedRecords
        var number = 0
        while bench.tier.statistics.damagedRecords == damagedBefore, number < 1_000 {
            number += 1
            bench.set("busy", "\(number)" + String(repeating: "-", count: 200))
            repeat {
                bench.tier.tick()
                if bench.tier.statistics.damagedRecords > damagedBefore { break }
                let isPiece = bench.tier.reclaimer.current?.isReading == true
                if isRead {
                    bench.readDamage = isPiece ? 1 : 0
                } else {
                    bench.unreadable = isPiece ? 0..<Self.geometry.fileBytes : nil
                }
            } while bench.step()
        }
        (bench.readDamage, bench.unreadable) = (0, nil)
        // The segment is still believed.
        var early = bench.killed
        bench.settle()
        let missing = Self.steady.filter { bench.get($0) == nil }
        #expect(!missing.isEmpty)
        var next = bench.killed
        for key in missing { #expect(early.get(key) == nil && next.get(key) == nil) }
        for key in Self.steady where !missing.contains(key) {
            #expect(next.get(key) == Self.value(of: key))
        }
    }

    @Test func whatIsRemovedWhileTheRingIsCleanedDoesNotComeBack() {
        var bench = Self.round()
        var removed: [String] = []
        var number = 0
        while removed.count < 20 {
            number += 1
            bench.set("busy", "\(number)" + String(repeating: "-", count: 200))
            repeat {
                bench.tier.tick()
                guard bench.tier.reclaimer.current?.keepsAll == true, removed.count < 20 else {
                    continue
                }
                let key = Self.steady[removed.count * 3]
                bench.remove(key)
                removed.append(key)
                var next = bench.killed
                for key in removed { #expect(next.get(key) == nil) }
            } while bench.step()
        }
        for key in Self.steady {
            #expect(bench.get(key) == (removed.contains(key) ? nil : Self.value(of: key)))
        }
    }

    /// Records of which one fills a segment to three fifths cannot lie closer.
    @Test func cleaningIsPaidByStoresAndEndsWithThem() {
        guard
            let geometry = DiskGeometry(
                checkpointBytes: 4_096, tailBytes: 4_096 + 8 * 4_096, segmentBytes: 4_096,
                segmentCount: 16)
        else { preconditionFailure("a file can have these sizes") }
        var bench = DiskBench(geometry)
        let large = String(repeating: "x", count: 2_400)
        for number in 0..<40 {
            bench.set("large\(number % 11)", large)
            // It comes to an end each time.
            bench.settle()
        }
        let done = bench.tier.statistics
        #expect(
            done.appendedBytes
                <= 3 * (done.payloadBytes + 40 * 48) + UInt64(geometry.ringBytes),
            "credit for half a ring, and twice what was stored")
    }

    @Test func whereTooLittleWasStoredNothingIsCleaned() {
        var bench = Self.round()
        let isPaid = bench.tier.log.isSparse
        bench.tier.log.cleaning.credit = Self.geometry.segmentBytes - 1
        let isSparse = bench.tier.log.isSparse
        #expect(isPaid && !isSparse)
    }

    @Test func aSegmentOfWhichEverythingHasExpiredMakesRoom() {
        var bench = DiskBench(Self.geometry)
        // More is stored than cleaning would keep, all for a second.
        for number in 0..<400 {
            if !bench.tier.hasFreeSegments { break }
            bench.set("brief\(number)", String(repeating: "b", count: 100), until: 1_000)
            bench.settle()
        }
        let (wasFree, wasSparse) = (bench.tier.hasFreeSegments, bench.tier.log.isSparse)
        #expect(!wasFree && !wasSparse)
        bench.tier.now = TierTime(milliseconds: 1_000)
        bench.settle()
        let (isFree, done) = (bench.tier.hasFreeSegments, bench.tier.statistics)
        #expect(isFree, "nothing has to leave for what is stored now")
        #expect(done.movedRecords == 0)
    }

    @Test func aDiskThatStandsStillLetsCleaningWait() {
        var bench = Self.round()
        var number = 0
        while bench.tier.reclaimer.current?.keepsAll != true
            || bench.tier.reclaimer.piece.range.isEmpty
        {
            number += 1
            bench.set("busy", "\(number)" + String(repeating: "-", count: 200))
            bench.tier.tick()
            _ = bench.step()
        }
        // No write comes back any more.
        let held = bench.queue
        bench.queue = []
        var stored = 0
        while bench.tier.reclaimer.current != nil, bench.tier.reclaimer.current?.roomAwaited == 0 {
            stored += 1
            guard stored < 100 else { break }
            bench.set("busy", String(repeating: "=", count: 300))
            bench.tier.tick()
            for case .read(let ticket, let byteCount, let offset) in bench.queue {
                let bytes = Array(bench.image[offset..<offset + byteCount])
                bench.tier.completed(DiskCompletion(ticket, .read(bytes)))
            }
            bench.queue.removeAll(where: \.isRead)
        }
        let (awaited, isDue) = (
            bench.tier.reclaimer.current?.roomAwaited ?? 0, bench.tier.hasDueWork
        )
        #expect(awaited > 0 && !isDue, "nobody turns round in vain")
        bench.queue = held + bench.queue
        bench.settle()
        for key in Self.steady { #expect(bench.get(key) == Self.value(of: key)) }
    }
}

extension DiskBench {
    /// What the tier has counted of what is shown, and what its index adds up to.
    fileprivate var counts: (counted: [Int], summed: [Int]) {
        var bytes = 0
        var live = Array(repeating: 0, count: geometry.segmentCount)
        tier.log.index.forEach { _, found in
            bytes += RecordLog.liveBytes(found.lengthClass)
            live[tier.log.place(found.address).ring] += 1
        }
        return ([tier.log.liveBytes] + tier.log.segments.map(\.liveCount), [bytes] + live)
    }
}
