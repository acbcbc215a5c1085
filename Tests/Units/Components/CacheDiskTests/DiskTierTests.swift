import CacheModel
import Testing

@testable import CacheDisk

@Suite struct DiskTierTests {
    @Test func whatIsStoredIsFoundInTheTailAndInItsSegment() {
        var bench = DiskBench()
        for number in 0..<40 {
            let cause = bench.set("key \(number)", "value \(number)")
            #expect(cause == nil)
            let early = bench.get("key \(number)")
            #expect(early == "value \(number)")
        }
        bench.settle()
        for number in 0..<40 {
            let late = bench.get("key \(number)")
            #expect(late == "value \(number)")
        }
        let absent = bench.get("another")
        #expect(absent == nil && bench.tier.entryCount == 40)
    }

    @Test func aValueCanBeReplacedAndARemovalWritesOneTombstone() {
        var bench = DiskBench()
        bench.set("a", "one")
        bench.set("a", "two")
        let second = bench.get("a")
        bench.remove("a")
        let none = bench.get("a")
        bench.remove("a")
        #expect(second == "two" && none == nil)
        #expect(bench.tier.statistics.tombstones == 1, "one that is not there needs none")
    }

    @Test func everythingOfAnEntryComesBack() throws {
        var bench = DiskBench()
        let fingerprint = bench.fingerprint("key", in: "images")
        func lend<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            Array(text.utf8).withUnsafeBytes(body)
        }
        lend("key") { key in
            lend("value") { value in
                lend("images") { namespace in
                    lend("news") { tag in
                        lend("\"etag\"\u{9}image/png\u{0}\u{0}") { both in
                            let validator = UnsafeRawBufferPointer(rebasing: both.prefix(6))
                            var entry = DiskEntry(key: key, value: value)
                            entry.representation = UnsafeRawBufferPointer(
                                rebasing: both.dropFirst(6))
                            entry.namespace = namespace
                            entry.version = 17
                            entry.tags = [tag, key]
                            entry.validator = validator
                            entry.expires = TierTime(milliseconds: 5_000)
                            entry.stored = TierTime(milliseconds: 4_000)
                            entry.softSince = TierTime(milliseconds: 4_500)
                            entry.fill = 1 << 47
                            entry.isUnfenced = true
                            let cause = bench.tier.append(entry, fingerprint)
                            #expect(cause == nil)
                        }
                    }
                }
            }
        }
        bench.settle()
        var again = DiskBench(recovering: bench.image)
        again.settle()
        guard case .reading(let ticket) = again.tier.find(fingerprint) else {
            Issue.record("it is in a segment")
            return
        }
        again.settle()
        let answer = again.answer(to: ticket)
        let found = try #require(answer)
        let record = try #require(found)
        record.withEntry { entry in
            #expect(String(decoding: entry.namespace, as: UTF8.self) == "images")
            #expect(entry.tags.map { String(decoding: $0, as: UTF8.self) } == ["news", "key"])
            #expect(String(decoding: entry.validator, as: UTF8.self) == "\"etag\"")
            #expect(
                Representation(stored: entry.representation)
                    == Representation(contentType: RepresentationField("image/png")))
            #expect(String(decoding: entry.value, as: UTF8.self) == "value")
            #expect(entry.version == 17 && entry.fill == 1 << 47 && entry.isUnfenced)
            #expect(entry.expires?.milliseconds == 5_000 && entry.stored.milliseconds == 4_000)
            #expect(entry.softSince?.milliseconds == 4_500)
        }
    }

    @Test func readsOfOneKeyAreJoinedAndTooManyAreShed() {
        let geometry = DiskGeometry(
            checkpointBytes: 4_096, tailBytes: 8_192, segmentBytes: 65_536, segmentCount: 6)
        guard let geometry else { preconditionFailure("a file can have these sizes") }
        var bench = DiskBench(geometry)
        for number in 0..<DiskLimits.readsMax + 200 {
            bench.set("key \(number)", "value")
            bench.settle()
        }
        var tickets: Set<DiskTicket> = []
        var shedCount = 0
        for number in 0..<DiskLimits.readsMax + 50 {
            for _ in 0..<2 {
                switch bench.tier.find(bench.fingerprint("key \(number)")) {
                case .reading(let ticket): tickets.insert(ticket)
                case .shed: shedCount += 1
                case .absent, .resident: Issue.record("key \(number) is in a segment")
                }
            }
        }
        #expect(tickets.count == DiskLimits.readsMax)
        #expect(shedCount == 2 * 50)
        bench.settle()
        let again = bench.get("key \(DiskLimits.readsMax + 49)")
        #expect(again == "value")
    }

    @Test(arguments: ["removed", "replaced", "reset"])
    func whatChangesWhileItIsReadIsNotHandedOut(how: String) throws {
        var bench = DiskBench()
        bench.set("a", "old")
        for number in 0..<40 { bench.set("other \(number)", "value") }
        bench.settle()
        guard
            case .reading(let ticket) = bench.tier.find(bench.fingerprint("a"))
        else {
            Issue.record("it is in a segment")
            return
        }
        switch how {
        case "removed": bench.remove("a")
        case "replaced": bench.set("a", "new")
        default: bench.tier.reset()
        }
        bench.settle()
        let answer = bench.answer(to: ticket)
        let record = try #require(answer)
        #expect(record == nil)
        let after = bench.get("a")
        #expect(after == (how == "replaced" ? "new" : nil))
    }

    @Test func aWriteThatFailsEndsTheTierAndNothingElse() {
        var bench = DiskBench()
        bench.set("a", "one")
        bench.writeFailure = .device("Input/output error")
        for number in 0..<40 { bench.set("key \(number)", "value") }
        bench.settle()
        #expect(bench.tier.state == .failed(.device("Input/output error")))
        let after = bench.get("a")
        let cause = bench.set("b", "two")
        bench.remove("a")
        #expect(after == nil && cause == .notOpen && bench.tier.entryCount == 0)
        // The node goes on without it: what lies there gets older from now on.
        var later = DiskBench(recovering: bench.image)
        later.settle()
        let unusable = later.unusable
        #expect(unusable == .removalsMissing)
    }

    @Test func aRingOfWhichNothingIsUsedForgetsTheOldest() {
        var bench = DiskBench()
        for number in 0..<2_000 {
            bench.set("key \(number)", "value \(number)")
            bench.settle()
        }
        let count = bench.tier.entryCount
        #expect((200...500).contains(count), "\(count)")
        for number in 0..<2_000 {
            let value = bench.get("key \(number)")
            #expect(value == (number < 2_000 - count ? nil : "value \(number)"), "key \(number)")
        }
        #expect(bench.tier.statistics.movedRecords == 0)
    }

    @Test func whatIsUsedStaysWhileTheRingGoesRound() {
        var bench = DiskBench()
        for number in 0..<20 { bench.set("used \(number)", "value \(number)") }
        for number in 0..<3_000 {
            bench.set("key \(number)", "value")
            bench.settle()
            let used = bench.get("used \(number % 20)")
            #expect(used == "value \(number % 20)", "after \(number)")
        }
        #expect(bench.tier.statistics.movedRecords > 100)
        #expect(bench.tier.statistics.reclaimedSegments > 20)
    }

    @Test func aRingOfWhichEverythingIsUsedStillTakesStores() {
        var bench = DiskBench()
        var shedCount = 0
        for number in 0..<2_000 {
            if bench.set("key \(number)", "value") != nil { shedCount += 1 }
            bench.settle()
            for back in 0..<300 where back % 7 == number % 7 {
                _ = bench.get("key \(number - back)")
            }
        }
        #expect(shedCount == 0)
        let newest = bench.get("key 1999")
        #expect(newest == "value")
    }

    @Test func aDiskThatStandsStillShedsStoresAndKeepsRemovals() {
        var bench = DiskBench()
        for number in 0..<60 { bench.set("key \(number)", "value") }
        bench.settle()
        var shedCount = 0
        for number in 0..<200 where bench.set("more \(number)", "value") == .tailFull {
            shedCount += 1
        }
        #expect(shedCount > 50)
        bench.remove("key 0")
        let late = bench.set("late", "value")
        #expect(late == .tailFull, "what a removal has opened is for removals")
        for number in 1..<30 { bench.remove("key \(number)") }
        #expect(bench.tier.log.removals.fingerprints.isEmpty)
        var killed = DiskBench(recovering: bench.image)
        killed.settle()
        for number in 0..<30 {
            let value = killed.get("key \(number)")
            #expect(value == nil, "key \(number)")
        }
        let kept = killed.get("key 40")
        #expect(kept == "value")
    }

    @Test func removalsWithoutRoomMakeTheTierUnsafeUntilTheyAreDone() {
        var bench = DiskBench()
        for number in 0..<200 {
            bench.set("key \(number)", "v")
            if number % 8 == 0 { bench.settle() }
        }
        bench.settle()
        for number in 0..<200 { bench.set("key \(number)", "w") }
        for number in 0..<200 { bench.remove("key \(number)") }
        #expect(!bench.tier.log.removals.fingerprints.isEmpty)
        var killed = DiskBench(recovering: bench.image)
        killed.settle()
        let cause = killed.unusable
        #expect(cause == .removalsMissing)
        bench.settle()
        #expect(bench.tier.log.removals.fingerprints.isEmpty)
        var later = DiskBench(recovering: bench.image)
        later.settle()
        let isUsable = later.unusable == nil
        #expect(isUsable && later.tier.entryCount == bench.tier.entryCount)
        for number in 0..<200 {
            let value = later.get("key \(number)")
            #expect(value == nil)
        }
    }

    @Test func aResetHidesEverythingBeforeItForGood() {
        var bench = DiskBench()
        for number in 0..<100 {
            bench.set("key \(number)", "value")
            bench.settle()
        }
        bench.tier.reset()
        bench.set("after", "value")
        var killed = DiskBench(recovering: bench.image)
        killed.settle()
        let (before, last, after) = (
            killed.get("key 50"), killed.get("key 99"), killed.get("after")
        )
        #expect(before == nil && last == nil && after == "value")
        #expect(killed.tier.entryCount == 1)
    }

    @Test func theCheckpointAndTheRemovalsComeBack() throws {
        var bench = DiskBench()
        var checkpoint = DiskBench.checkpoint
        checkpoint.floors = [9, 9]
        bench.settle()
        bench.tier.checkpoint(checkpoint)
        let applied = LogMark(
            position: LogPosition(epoch: Epoch(3), sequence: SequenceNumber(55)),
            digest: LogDigest(0x1234_5678_9ABC_DEF0))
        bench.tier.noteApplied(applied)
        var early = DiskBench(recovering: bench.image)
        early.settle()
        let earlier = early.recovered
        #expect(earlier?.checkpoint.floors == [1, 2, 3])
        bench.settle()
        var late = DiskBench(recovering: bench.image)
        late.settle()
        let later = late.recovered
        let recovered = try #require(later)
        #expect(recovered.checkpoint.floors == [9, 9])
        #expect(recovered.checkpoint.mark == checkpoint.mark)
        #expect(recovered.applied == applied)
    }

    @Test func anEndInOrderIsSynchronizedAndSaidInTheSuperblock() throws {
        var bench = DiskBench()
        for number in 0..<30 { bench.set("key \(number)", "value") }
        bench.tier.now = TierTime(milliseconds: 777)
        bench.tier.close(DiskBench.checkpoint, calendar: 2_000_000)
        let cause = bench.set("late", "value")
        #expect(cause == .notOpen)
        guard case .synchronize? = bench.queue.last else {
            Issue.record("the superblock is synchronized last")
            return
        }
        bench.settle()
        #expect(bench.tier.state == .closed)
        let found = try Superblock.decoding(bench.image).get()
        #expect(found.closed?.milliseconds == 777 && found.machine.calendar == 2_000_000)
        var again = DiskBench(recovering: bench.image)
        again.settle()
        #expect(again.tier.entryCount == 30)
        let open = try Superblock.decoding(again.image).get()
        #expect(open.closed == nil, "it was open again before anything was appended")
    }

    /// What leaves the index by reclaiming has no tombstone, and a removal finds nothing to bury.
    @Test func whatTheRingHasLetGoDoesNotComeBack() {
        var bench = DiskBench()
        for number in 0..<900 {
            bench.set("key \(number)", "value")
            bench.settle()
            guard number % 10 == 0 else { continue }
            var killed = DiskBench(recovering: bench.image)
            killed.settle()
            #expect(killed.tier.entryCount == bench.tier.entryCount, "after \(number)")
        }
        #expect(bench.tier.statistics.reclaimedSegments > 3)
    }

    @Test func aStoreThatIsShedLeavesNothingOfWhatItReplaces() {
        var bench = DiskBench()
        bench.set("a", "old")
        var number = 0
        while bench.set("key \(number)", "value") == nil { number += 1 }
        let cause = bench.set("a", "new")
        let value = bench.get("a")
        #expect(cause == .tailFull && value == nil)
        var killed = DiskBench(recovering: bench.image)
        killed.settle()
        let after = killed.get("a")
        #expect(after == nil)
    }

    /// The disk gave other bytes once. By the next start they may be right again, and old.
    @Test func whatWasFoundDamagedDoesNotComeBack() throws {
        var bench = DiskBench()
        for number in 0..<40 { bench.set("key \(number)", "value") }
        bench.settle()
        bench.readDamage = 0x40
        let damaged = bench.get("key 1")
        bench.readDamage = 0
        #expect(damaged == nil && bench.tier.statistics.damagedRecords == 1)
        // A value that stays in memory: the index knows nothing of the key.
        bench.remove("key 1")
        bench.settle()
        var killed = DiskBench(recovering: bench.image)
        killed.settle()
        let (after, other) = (killed.get("key 1"), killed.get("key 2"))
        #expect(after == nil && other == "value")
    }

    /// It is found in memory, and would be nothing after a restart.
    @Test func nothingIsStoredBeforeAResetThatWaitsForRoom() {
        var bench = DiskBench()
        for number in 0..<60 {
            bench.set("key \(number)", "value")
            bench.settle()
        }
        for number in 0..<500 { bench.set("more \(number)", "value") }
        for number in 0..<500 { bench.remove("more \(number)") }
        bench.tier.reset()
        // There is room again, and the reset has not come to its turn.
        while bench.step() {}
        let isPending = bench.tier.log.removals.hasReset
        let cause = bench.set("early", "value")
        let early = bench.get("early")
        #expect(isPending && cause == .tailFull && early == nil)
        bench.settle()
        var killed = bench.killed
        let later = killed.get("early")
        #expect(later == nil && killed.tier.entryCount == bench.tier.entryCount)
        let again = bench.set("early", "value")
        #expect(again == nil)
    }

    @Test func aPendingResetHappensBeforeLaterStores() {
        var bench = DiskBench()
        for number in 0..<60 {
            bench.set("key \(number)", "value")
            bench.settle()
        }
        for number in 0..<500 { bench.set("more \(number)", "value") }
        for number in 0..<500 { bench.remove("more \(number)") }
        bench.tier.reset()
        let isPending = bench.tier.log.removals.hasReset
        let cause = bench.set("early", "value")
        bench.settle()
        bench.set("late", "value")
        let isStillPending = bench.tier.log.removals.hasReset
        #expect(isPending && cause == .tailFull && !isStillPending)
        var killed = DiskBench(recovering: bench.image)
        killed.settle()
        let late = killed.get("late")
        #expect(late == "value" && killed.tier.entryCount == 1)
    }
}
