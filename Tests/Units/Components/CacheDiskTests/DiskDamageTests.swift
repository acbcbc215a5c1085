import CacheModel
import Testing
import TestSupport

@testable import CacheDisk

/// A disk that fails, or gives other bytes than it took, at the moments where the order of the log
/// hangs on them: the tier goes on in order, or says that it does not.
@Suite struct DiskDamageTests {
    enum Loss: CaseIterable {
        /// The newest segment cannot be read.
        case unreadable
        /// The slot of the tail that tells how far the newest segment goes says something else.
        case miscounted
    }

    /// A tier that has lost its newest segment, with what was in it and before it.
    private static func bench(_ loss: Loss) -> DiskBench {
        var first = DiskBench()
        for number in 0..<100 {
            first.set("key \(number)", "old")
            first.settle()
        }
        var image = first.image
        if loss == .miscounted {
            let count = first.openSlot.lowerBound + 24
            image.replaceSubrange(count..<count + 4, with: repeatElement(0x7F, count: 4))
        }
        var bench = DiskBench(recovering: image)
        if loss == .unreadable { bench.unreadable = first.newestSegment.dropFirst(32) }
        bench.settle()
        bench.unreadable = nil
        return bench
    }

    @Test(arguments: Loss.allCases)
    func aTierThatLostItsNewestSegmentContinuesBehindIt(loss: Loss) {
        var bench = Self.bench(loss)
        let newest = bench.tier.log.tail.state.newest
        let recovered = bench.recovered
        #expect(recovered?.damageCount == 1 && bench.tier.entryCount == 0)
        for life in 0..<3 {
            bench = bench.killed
            #expect(bench.tier.state == .open && bench.tier.entryCount == 0, "life \(life)")
        }
        bench.set("a", "one")
        let value = bench.get("a")
        #expect(value == "one" && bench.tier.log.active == newest.next)
        bench = bench.killed
        let after = bench.get("a")
        #expect(after == "one" && bench.tier.entryCount == 1)
    }

    /// The place of the segment that was lost is used again in its turn.
    @Test(arguments: Loss.allCases)
    func aRingThatHasPassedOverASegmentGoesRound(loss: Loss) {
        var bench = Self.bench(loss)
        let newest = bench.tier.log.tail.state.newest
        for number in 0..<900 {
            bench.set("key \(number)", "new")
            bench.settle()
            guard number % 10 == 0 else { continue }
            let killed = bench.killed
            #expect(killed.tier.entryCount == bench.tier.entryCount, "after \(number)")
            #expect(killed.tier.log.active == bench.tier.log.active)
        }
        #expect(bench.tier.log.active.rawValue >= newest.rawValue + 12)
    }

    @Test(arguments: Loss.allCases)
    func aResetBehindASegmentThatWasLostHidesItForGood(loss: Loss) {
        var bench = Self.bench(loss)
        let newest = bench.tier.log.tail.state.newest
        bench.tier.reset()
        let oldest = bench.tier.log.tail.state.oldest
        #expect(oldest > newest)
        bench.set("a", "one")
        bench = bench.killed
        let value = bench.get("a")
        #expect(value == "one" && bench.tier.entryCount == 1)
    }

    // MARK: What was gone once

    /// Damage may be gone by the next start. What it hid is old by then: meanwhile the node has
    /// taken stores that stayed in memory, and removals of what it did not know.
    @Test(arguments: [false, true])
    func whatWasGoneOnceStaysGone(isNewest: Bool) {
        var first = DiskBench()
        first.set("first", "value")
        var (place, number) = (0, 0)
        repeat {
            first.settle()
            place = first.lastByte
            first.set("key \(number)", "value")
            number += 1
        } while isNewest ? number < 30 : first.tier.log.active < SegmentNumber(2)
        if isNewest { place = first.lastByte }
        var damaged = first.image
        damaged[place] ^= 1
        var second = DiskBench(recovering: damaged)
        second.settle()
        #expect(second.tier.entryCount == (isNewest ? 0 : 1))
        var healed = second.image
        if healed[place] == damaged[place] { healed[place] ^= 1 }
        var third = DiskBench(recovering: healed)
        third.settle()
        #expect(third.tier.state == .open)
        #expect(third.tier.entryCount == second.tier.entryCount)
    }

    /// Once a segment has another footer nothing tells of the damage any more.
    @Test func damageIsRememberedThoughTheRecoveryIsKilled() {
        var bench = DiskBench()
        bench.set("a", "old")
        var (place, number) = (0, 0)
        // Killed before the second segment's footer was written.
        while bench.tier.log.active < SegmentNumber(3) {
            bench.settle()
            if bench.tier.log.active == SegmentNumber(2), place == 0 {
                place = bench.tier.log.fileOffset(bench.tier.log.active, bench.tier.log.end)
                bench.set("a", "new")
            }
            bench.set("key \(number)", "value")
            number += 1
        }
        var damaged = bench.image
        damaged[place] ^= 1
        for stepCount in 0..<40 {
            var killed = DiskBench(recovering: damaged)
            for _ in 0..<stepCount {
                _ = killed.step()
                killed.tier.tick()
            }
            killed = killed.killed
            let value = killed.get("a")
            #expect(value == nil && killed.tier.state == .open, "killed after \(stepCount)")
        }
    }

    /// A head that is gone is not one that was never used: it told where the log ends.
    @Test func aSlotOfZerosDoesNotBringBackWhatItRemoved() {
        var bench = DiskBench()
        bench.set("a", "old")
        bench.settle()
        while bench.tier.log.tail.open == 0 {
            bench.set("b", "other")
            bench.settle()
        }
        bench.set("a", "new")
        var image = bench.image
        image.replaceSubrange(
            bench.openSlot, with: repeatElement(0, count: bench.openSlot.count))
        var killed = DiskBench(recovering: image)
        killed.settle()
        let (value, cause) = (killed.get("a"), killed.unusable)
        #expect(value == nil && cause == .tailDamaged)
    }

    @Test(arguments: 0..<6)
    func aTierThatWasDamagedGoesOnAndBringsNothingBackLater(seed: Int) {
        var load = DiskCrashTests.Load(seed: UInt64(300 + seed), longMax: seed % 2 == 0 ? 0 : 1_500)
        var image = DiskBench().image
        var (openCount, lossCount) = (0, 0)
        for life in 0..<150 {
            let (whole, places) = Self.live(from: image, &load)
            var damaged = whole
            for place in places { damaged[place] ^= UInt8(1 << load.dice.below(8)) }
            guard let found = Self.restart(damaged, &load, "life \(life)") else {
                image = DiskBench().image
                load.truth = [:]
                continue
            }
            openCount += 1
            lossCount += found.lossCount
            image = found.image
            if load.dice.below(2) == 0 {
                for place in places where image[place] == damaged[place] {
                    image[place] = whole[place]
                }
            }
            guard let later = Self.restart(image, &load, "after life \(life)") else {
                Issue.record("it is of no use after life \(life)")
                return
            }
            image = later.image
        }
        #expect(openCount > 50 && lossCount > 300, "\(openCount) lives, \(lossCount) losses")
    }

    /// - Returns: the file as it was killed, and two places of it that get damaged.
    private static func live(
        from image: [UInt8], _ load: inout DiskCrashTests.Load
    ) -> (image: [UInt8], places: [Int]) {
        var bench = DiskBench(recovering: image)
        bench.settle()
        for _ in 0..<load.dice.below(80) {
            load.act(on: &bench)
            for _ in 0..<load.dice.below(3) { _ = bench.step() }
            bench.tier.tick()
        }
        return (bench.image, [place(in: bench, &load.dice), place(in: bench, &load.dice)])
    }

    /// A start that is killed while it recovers, and another. What it knows is true, and what it
    /// does not know is forgotten.
    ///
    /// - Returns: the file as it left it, and how much it has forgotten; `nil` if it is of no use.
    private static func restart(
        _ image: [UInt8], _ load: inout DiskCrashTests.Load, _ what: String
    ) -> (image: [UInt8], lossCount: Int)? {
        var early = DiskBench(recovering: image)
        early.readsOvertake = load.dice.below(2) == 0
        for _ in 0..<load.dice.below(40) {
            _ = early.step()
            early.tier.tick()
        }
        var bench = DiskBench(recovering: early.image)
        bench.settle()
        guard bench.tier.state == .open else { return nil }
        var lossCount = 0
        for number in 0..<40 {
            let key = "key \(number)"
            let value = bench.get(key)
            if value == nil, load.truth.removeValue(forKey: key) != nil { lossCount += 1 }
            #expect(value == load.truth[key], "\(what): \(key)")
        }
        return (bench.image, lossCount)
    }

    /// A byte of the newest segment, of the tail's newest run, of a footer, or any of a segment.
    private static func place(in bench: borrowing DiskBench, _ dice: inout SeededGenerator) -> Int {
        let from = bench.geometry.segmentsOffset
        let segment = bench.geometry.segmentBytes
        switch dice.below(4) {
        case 0 where bench.tier.log.active != .none:
            return bench.newestSegment.lowerBound + dice.below(segment)
        case 1 where bench.tier.log.tail.open != nil:
            return bench.openSlot.lowerBound + 24 + dice.below(bench.openSlot.count - 24)
        case 2:
            let footer = SegmentFooter.bytes(60)
            return from + dice.below(bench.geometry.segmentCount) * segment + segment - 1
                - dice.below(footer)
        default: return from + dice.below(bench.geometry.segmentCount * segment)
        }
    }

    // MARK: Failures

    @Test(arguments: 0..<2)
    func aRecoveryThatFailsToWriteLeavesNothingOlderBehind(saidCount: Int) {
        var bench = DiskBench()
        for number in 0..<100 {
            bench.set("key \(number)", "value")
            bench.settle()
        }
        for number in 0..<saidCount {
            bench.tier.noteApplied(
                LogMark(
                    position: LogPosition(
                        epoch: Epoch(3), sequence: SequenceNumber(UInt64(50 + number))),
                    digest: LogDigest(1)))
        }
        let said = bench.tier.log.tail.state
        var second = DiskBench(recovering: bench.image)
        second.writeFailure = DiskBench.failure
        second.settle()
        #expect(second.tier.state == .failed(DiskBench.failure))
        #expect(second.tier.log.tail.state.newest == said.newest)
        #expect(second.tier.log.tail.state.counter > said.counter)
        let third = second.killed
        let cause = third.unusable
        #expect(cause == .removalsMissing)
    }

    /// A recovery goes on reading while what it has written is on its way.
    @Test func aTierIsNotOpenBeforeWhatItsRecoveryWritesIsWritten() {
        var bench = DiskBench()
        var number = 0
        repeat {
            bench.settle()
            bench.set("key \(number)", "value")
            number += 1
        } while bench.tier.log.active < SegmentNumber(2)
        var second = DiskBench(recovering: bench.image)
        let end = bench.newestSegment.lowerBound
        second.unwritable = end - SegmentFooter.lastBlockBytes..<end
        second.readsOvertake = true
        for _ in 0..<60 {
            _ = second.step()
            second.tier.tick()
        }
        #expect(second.tier.state == .failed(DiskBench.failure))
        let isRecovered = second.recovered != nil
        #expect(!isRecovered && second.queue.isEmpty)
    }

    @Test func aTierThatCannotMarkItselfOpenIsNotOpen() {
        let first = DiskBench(unwritable: 0..<Superblock.bytes)
        #expect(first.tier.state == .failed(DiskBench.failure))
        var whole = DiskBench()
        whole.set("a", "one")
        var second = DiskBench(recovering: whole.image)
        second.unwritable = 0..<Superblock.bytes
        second.settle()
        let isRecovered = second.recovered != nil
        #expect(second.tier.state == .failed(DiskBench.failure) && !isRecovered)
        let cause = second.set("b", "two")
        #expect(cause == .notOpen)
        let third = second.killed
        let unusable = third.unusable
        #expect(unusable == .removalsMissing)
    }

    @Test func aTierThatCouldNotBeSynchronizedIsNotClosed() throws {
        var bench = DiskBench()
        bench.set("a", "one")
        bench.synchronizationFailure = DiskBench.failure
        bench.tier.now = TierTime(milliseconds: 777)
        bench.tier.close(DiskBench.checkpoint, calendar: 2_000_000)
        bench.settle()
        #expect(bench.tier.state == .failed(DiskBench.failure))
        let found = try Superblock.decoding(bench.image).get()
        #expect(found.closed == nil, "after losing power it would be believed")
    }

    @Test func whatWasOfNoUseOnceIsOfNoUseLater() {
        var bench = DiskBench()
        bench.set("a", "one")
        var second = DiskBench(recovering: bench.image)
        second.unreadable = 0..<bench.geometry.tailOffset
        second.settle()
        let cause = second.unusable
        #expect(cause == .noCheckpoint)
        // The checkpoints can be read again; the process in between has removed what it liked.
        let third = second.killed
        let later = third.unusable
        #expect(later == .removalsMissing)
    }

    @Test func aTierGivenUpByItsOwnerCannotBeReopened() {
        var bench = DiskBench()
        bench.set("a", "one")
        bench.tier.giveUp(.cut)
        bench.tier.giveUp(.readOnly)
        #expect(bench.tier.state == .failed(.cut) && bench.tier.entryCount == 0)
        let third = bench.killed
        let cause = third.unusable
        #expect(cause == .removalsMissing)
    }

    @Test func aTierThatIsClosedIsNotGivenUp() {
        var bench = DiskBench()
        bench.set("a", "one")
        bench.tier.close(DiskBench.checkpoint, calendar: 2_000_000)
        bench.settle()
        bench.tier.giveUp(.cut)
        #expect(bench.tier.state == .closed)
        let third = bench.killed
        #expect(third.tier.entryCount == 1)
    }

    /// A removal that nobody heard would be missed once the tier is open.
    @Test func nothingIsToldToATierBeforeItIsOpen() async {
        await #expect(processExitsWith: .failure) {
            var bench = DiskBench(recovering: DiskBench().image)
            bench.set("a", "one")
        }
        await #expect(processExitsWith: .failure) {
            var bench = DiskBench(recovering: DiskBench().image)
            bench.remove("a")
        }
        await #expect(processExitsWith: .failure) {
            var bench = DiskBench(recovering: DiskBench().image)
            bench.tier.reset()
        }
    }
}
