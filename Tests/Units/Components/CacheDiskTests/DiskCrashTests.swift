import CacheModel
import Testing
import TestSupport

@testable import CacheDisk

/// A tier is killed, torn and damaged everywhere; what it says afterwards is held against what was
/// acknowledged before.
@Suite struct DiskCrashTests {
    /// A load that stores, replaces and removes, and what is true of it.
    struct Load {
        var dice: SeededGenerator
        var truth: [String: String] = [:]
        var stepNumber = 0
        /// Of values that are longer than a record; those are on disk some turns later.
        let longMax: Int

        init(seed: UInt64, longMax: Int = 0) {
            dice = SeededGenerator(seed: seed)
            self.longMax = longMax
        }

        /// One operation. Which keys' values may be gone afterwards by right is not known: a ring
        /// that has gone round forgets.
        mutating func act(on bench: inout DiskBench) {
            stepNumber += 1
            let key = "key \(dice.below(40))"
            switch dice.below(10) {
            case 0, 1:
                bench.remove(key)
                truth[key] = nil
            case 2: _ = bench.get(key)
            default:
                let isLong = longMax > 0 && dice.below(5) == 0
                let length = isLong ? 480 + dice.below(longMax - 480) : dice.below(120)
                let value = "\(stepNumber)" + String(repeating: ".", count: length)
                // What is shed is nowhere, and neither is what it replaces.
                truth[key] = bench.set(key, value) == nil ? value : nil
            }
        }
    }

    private static let keys = (0..<40).map { "key \($0)" }

    /// What a restart finds, held against the truth. An older value is never right; none is where
    /// something may have been forgotten.
    @discardableResult
    private static func judge(
        _ image: [UInt8], _ truth: [String: String], mayForget: Bool, _ what: String
    ) -> Outcome {
        var bench = DiskBench(recovering: image)
        bench.settle()
        if let cause = bench.unusable {
            #expect(mayForget, "\(what): \(cause)")
            return .unusable
        }
        var isWhole = true
        for key in keys {
            let value = bench.get(key)
            let due = truth[key]
            if value == due { continue }
            isWhole = false
            if value == nil, mayForget { continue }
            Issue.record("\(what): \(key) is \(value ?? "nothing"), not \(due ?? "nothing")")
        }
        return isWhole ? .whole : .partial
    }

    enum Outcome { case unusable, partial, whole }

    @Test(arguments: 0..<6)
    func nothingIsLostByKillingBeforeTheRingHasGoneRound(seed: UInt64) {
        var bench = DiskBench()
        var load = Load(seed: seed)
        for operation in 0..<120 {
            load.act(on: &bench)
            Self.judge(bench.image, load.truth, mayForget: false, "after \(operation)")
            if load.dice.below(3) == 0, bench.step() {
                Self.judge(bench.image, load.truth, mayForget: false, "within \(operation)")
            }
            if load.dice.below(12) == 0 { bench.settle() }
        }
    }

    @Test(arguments: 0..<6)
    func noOldValueComesBackHoweverOftenTheRingGoesRound(seed: UInt64) {
        var bench = DiskBench()
        var load = Load(seed: 100 + seed, longMax: seed < 3 ? 0 : 1_800)
        for operation in 0..<1_500 {
            load.act(on: &bench)
            for _ in 0..<load.dice.below(3) { _ = bench.step() }
            if load.dice.below(4) == 0 { bench.tier.tick() }
            if operation % 5 == 0 {
                Self.judge(bench.image, load.truth, mayForget: true, "after \(operation)")
            }
        }
        #expect(bench.tier.statistics.reclaimedSegments > 10)
    }

    @Test(arguments: 0..<4)
    func aTierGoesOnOverManyKills(seed: UInt64) {
        var load = Load(seed: 200 + seed, longMax: seed < 2 ? 0 : 1_800)
        var bench = DiskBench()
        for life in 0..<40 {
            for _ in 0..<load.dice.below(60) {
                load.act(on: &bench)
                for _ in 0..<load.dice.below(3) { _ = bench.step() }
                bench.tier.tick()
            }
            let image = bench.image
            Self.judge(image, load.truth, mayForget: true, "life \(life)")
            // Killed once more while it recovers.
            var recovering = DiskBench(recovering: image)
            for _ in 0..<load.dice.below(30) {
                _ = recovering.step()
                recovering.tier.tick()
            }
            bench = DiskBench(recovering: recovering.image)
            bench.settle()
            let cause = bench.unusable
            #expect(cause == nil, "life \(life)")
        }
    }

    /// The last record is cut after every byte.
    @Test func aRecordThatWasHalfAppendedIsNotThere() {
        var bench = DiskBench()
        var load = Load(seed: 7)
        for _ in 0..<60 {
            let before = bench.image
            let (slot, run) = (bench.tier.log.tail.open, bench.tier.log.tail.slots)
            let old = load.truth
            load.act(on: &bench)
            guard let slot, bench.tier.log.tail.open == slot,
                bench.tier.log.tail.slots[slot].start == run[slot].start
            else { continue }
            let after = bench.image
            let heads = bench.geometry.tailOffset + DiskLimits.pageBytes
            let from = heads + slot * bench.tier.log.tail.slotBytes + TailSlot.headBytes
            for cut in from..<from + bench.tier.log.tail.recordBytesMax
            where before[cut] != after[cut] {
                var torn = before
                torn.replaceSubrange(from..<cut, with: after[from..<cut])
                Self.judge(torn, old, mayForget: false, "cut at \(cut)")
            }
        }
    }

    /// A process that ends while it opens a slot leaves the slot's head half written.
    @Test func aSlotThatWasHalfOpenedIsNotThere() {
        var bench = DiskBench()
        var load = Load(seed: 17)
        var openedCount = 0
        for _ in 0..<400 {
            let (before, old, open) = (bench.image, load.truth, bench.tier.log.tail.open)
            load.act(on: &bench)
            if let slot = bench.tier.log.tail.open, slot != open, bench.queue.count < 4 {
                openedCount += 1
                let head =
                    bench.geometry.tailOffset + DiskLimits.pageBytes
                    + slot * bench.tier.log.tail.slotBytes
                var torn = before
                torn.replaceSubrange(head..<head + 8, with: Array("MARTDSE1".utf8))
                Self.judge(torn, old, mayForget: true, "slot \(slot)")
                var whole = DiskBench(recovering: before)
                whole.settle()
                var half = DiskBench(recovering: torn)
                half.settle()
                #expect(half.tier.entryCount == whole.tier.entryCount)
            }
            for _ in 0..<2 { _ = bench.step() }
            bench.tier.tick()
        }
        #expect(openedCount > 20)
    }

    /// The slot that told where the log ends is the first to be used in the next life.
    @Test func recoveryFindsTheLogEndAfterItsSlotIsReused() {
        var bench = DiskBench()
        for number in 0..<4 { bench.set("key \(number)", "value") }
        var second = DiskBench(recovering: bench.image)
        second.settle()
        var torn = second.image
        let head = bench.geometry.tailOffset + DiskLimits.pageBytes
        torn.replaceSubrange(head..<head + 8, with: Array("MARTDSE1".utf8))
        #expect(torn != second.image)
        var third = DiskBench(recovering: torn)
        third.settle()
        #expect(third.tier.entryCount == 4)
        second.set("key 0", "later")
        var fourth = DiskBench(recovering: second.image)
        fourth.settle()
        let value = fourth.get("key 0")
        #expect(fourth.tier.entryCount == 4 && value == "later")
    }

    @Test(arguments: [false, true])
    func aDamagedRecordDoesNotBringBackWhatItRemoved(isTombstone: Bool) {
        var bench = DiskBench()
        bench.set("a", "old")
        bench.set("b", "before")
        let from = bench.tier.log.end
        if isTombstone { bench.remove("a") } else { bench.set("a", "new") }
        let to = bench.tier.log.end
        bench.set("b", "after")
        let image = bench.image
        let slot = bench.tier.log.tail.open ?? 0
        let records =
            bench.geometry.tailOffset + DiskLimits.pageBytes + slot * bench.tier.log.tail.slotBytes
            + TailSlot.headBytes - DiskSegmentHeader.bytes
        for bit in (records + from) * 8..<(records + to) * 8 {
            var damaged = image
            damaged[bit / 8] ^= UInt8(1 << (bit % 8))
            var killed = DiskBench(recovering: damaged)
            killed.settle()
            let (a, b) = (killed.get("a"), killed.get("b"))
            #expect(a == nil && b != "before", "bit \(bit)")
        }
    }

    /// Where nothing is sealed yet a record has no footer that would tell of it: what it removed
    /// must not be seen again.
    @Test func aFlippedBitInTheNewestRecordsBringsNothingBack() {
        var bench = DiskBench()
        var load = Load(seed: 23)
        while bench.tier.log.active < SegmentNumber(3) || bench.tier.log.end < 3_000 {
            load.act(on: &bench)
            bench.settle()
        }
        let image = bench.image
        let segment = bench.tier.log.fileOffset(bench.tier.log.active, 0)
        let slot = bench.tier.log.tail.open ?? 0
        let records =
            bench.geometry.tailOffset + DiskLimits.pageBytes + slot * bench.tier.log.tail.slotBytes
        var partialCount = 0
        let places = [segment..<segment + bench.tier.log.end, records..<records + 512]
        for place in places.joined() {
            var damaged = image
            damaged[place] ^= UInt8(1 << load.dice.below(8))
            let outcome = Self.judge(damaged, load.truth, mayForget: true, "byte \(place)")
            if outcome == .partial { partialCount += 1 }
        }
        #expect(partialCount > 500, "\(partialCount)")
    }

    /// Any byte of the file, after a kill and after an end in order.
    @Test(arguments: [false, true])
    func aFlippedBitIsAMissAndNeverAnotherValue(isSettled: Bool) {
        var bench = DiskBench()
        var load = Load(seed: 11)
        for _ in 0..<220 {
            load.act(on: &bench)
            for _ in 0..<load.dice.below(3) { _ = bench.step() }
        }
        if isSettled { bench.settle() }
        let image = bench.image
        Self.judge(image, load.truth, mayForget: false, "whole")
        var outcomes: [Outcome: Int] = [:]
        for round in 0..<2_500 {
            var damaged = image
            let at = load.dice.below(image.count)
            damaged[at] ^= UInt8(1 << load.dice.below(8))
            let outcome = Self.judge(
                damaged, load.truth, mayForget: true, "round \(round), byte \(at)")
            outcomes[outcome, default: 0] += 1
        }
        #expect(outcomes[.whole, default: 0] > 2_000, "\(outcomes)")
        #expect(outcomes[.partial, default: 0] > 50, "\(outcomes)")
    }
}
