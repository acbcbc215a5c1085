import CacheModel
import Testing
import TestSupport

@testable import CacheMemory

@Suite struct MemoryTierExpiryTests {
    /// Two spokes of the wheel, in ticks.
    private static let soon: UInt64 = 32
    /// Longer than a slab rests after a walk.
    private static let rest: UInt64 = 300

    @Test func whatHasExpiredIsRemovedWithoutBeingAskedFor() {
        var tier = MemoryTier.sample()
        for number in 0..<1_000 {
            tier.store(Offer(key: "k\(number)", expiresAt: number % 2 == 0 ? at(100) : nil))
        }
        let early = tier.entries.expire(slotLimit: 10_000, now: at(99))
        #expect(early.removedCount == 0 && early.isDone)
        let progress = tier.entries.expire(slotLimit: 10_000, now: at(100 + Self.soon))
        #expect(progress.removedCount == 500 && progress.isDone)
        #expect(tier.entryCount == 500)
        #expect(tier.statistics.removals[.expired] == 500)
        tier.entries.checkEverything()
    }

    @Test func aSliceLooksAtNoMoreThanItMay() {
        var tier = MemoryTier.sample()
        for number in 0..<1_000 { tier.store(Offer(key: "k\(number)", expiresAt: at(100))) }
        var sliceCount = 0
        while true {
            let progress = tier.entries.expire(slotLimit: 64, now: at(200))
            // A removal counts as three slots.
            #expect(progress.removedCount <= 22)
            if progress.isDone { break }
            #expect(tier.hasDueWork == true)
            sliceCount += 1
        }
        #expect(sliceCount == 1_000 / 22)
        #expect(tier.entryCount == 0)
    }

    /// A shorter end, given later: by a store beside it, by a touch, by a replacement.
    @Test func aShorterEndIsNoticed() {
        var tier = MemoryTier.sample()
        for number in 0..<10 { tier.store(Offer(key: "k\(number)", expiresAt: at(90_000))) }
        _ = tier.entries.expire(slotLimit: 100, now: at(1_000))
        tier.store(Offer(key: "new", expiresAt: at(2_000)), now: at(1_000))
        #expect(tier.touch("k1", expiresAt: at(3_000), now: at(1_000)) == true)
        tier.store(Offer(key: "k2", value: [9], expiresAt: at(4_000)), now: at(1_000))
        for (now, count) in [(2_000, 10), (3_000, 9), (4_000, 8), (90_000, 0)] {
            _ = tier.entries.expire(slotLimit: 100, now: at(UInt64(now) + Self.soon))
            #expect(tier.entryCount == count, "at \(now)")
        }
    }

    /// Beyond the last spoke, and beyond many turns of the wheel.
    @Test(arguments: [100, 65_000, 70_000, 10_000_000, 1 << 34] as [UInt64])
    func anEndHoweverFarIsMet(end: UInt64) {
        var tier = MemoryTier.sample()
        tier.store(Offer(expiresAt: at(end)))
        var now: UInt64 = 0
        while now + 50_000 < end, now < 1_000_000 {
            now += 50_000
            #expect(tier.entries.expire(slotLimit: 10, now: at(now)).removedCount == 0)
        }
        #expect(tier.entries.expire(slotLimit: 10, now: at(end - 1)).removedCount == 0)
        #expect(tier.entries.expire(slotLimit: 10, now: at(end + Self.soon)).removedCount == 1)
    }

    @Test func aLargeEntryExpiresAsWell() {
        var tier = MemoryTier.sample(.sample(8 << 20))
        let value = [UInt8](repeating: 7, count: 700_000)
        #expect(tier.refusal(Offer(value: value, expiresAt: at(100))) == nil)
        #expect(tier.entries.expire(slotLimit: 10, now: at(100 + Self.soon)).removedCount == 1)
        let usedBytes = tier.entries.arena.usedBytes
        #expect(usedBytes == 0)
    }

    /// Entries with every kind of end come, are touched, replaced, invalidated and moved, while
    /// time goes on: at no moment is one left that has been over for longer than a slab rests.
    @Test(arguments: UInt64(1)...5)
    func nothingStaysLongAfterItsEnd(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var tier = MemoryTier.sample(.sample(400_000))
        var now: UInt64 = 1
        for step in 0..<20_000 {
            now += UInt64(dice.below(20))
            let key = "k\(dice.below(900))"
            switch dice.below(10) {
            case 0: tier.invalidate(.key(key), at: stamp(UInt64(step) + 1), now: at(now))
            case 1:
                _ = tier.touch(key, expiresAt: at(now + UInt64(dice.below(5_000))), now: at(now))
            case 2: _ = tier.entries.closeHoles(limit: 5)
            default:
                let life = [50, 500, 5_000, 500_000][dice.below(4)]
                tier.store(
                    Offer(
                        key: key, value: Array(repeating: 1, count: dice.below(600)),
                        expiresAt: dice.chance(5) ? nil : at(now + UInt64(dice.below(life))),
                        fill: stamp(UInt64(step) + 1)), now: at(now))
            }
            _ = tier.entries.expire(slotLimit: 1_000, now: at(now))
            guard step % 500 == 0 else { continue }
            #expect(Self.overdueCount(&tier, now - min(now, Self.rest)) == 0)
        }
        tier.entries.checkEverything()
    }

    private static func overdueCount(_ tier: inout MemoryTier, _ moment: UInt64) -> Int {
        var count = 0
        for number in 0..<tier.entries.index.bucketCount {
            tier.entries.collect(bucket: number)
            count += tier.entries.scratch.count { $0.end != .never && $0.end.tick + soon < moment }
        }
        return count
    }
}
