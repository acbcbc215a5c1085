import CacheModel
import Testing

@testable import CacheMemory

@Suite struct MemoryTierSweepTests {
    /// A minute and a little more, in ticks.
    static let minute: UInt64 = 60_000_000_000 >> EntryEnd.tickShift + 1

    @Test func aRoundRemovesWhatHasExpiredOrIsHidden() {
        var tier = MemoryTier.sample()
        for number in 0..<300 {
            tier.store(
                Offer(
                    key: "key \(number)", tags: number % 3 == 0 ? ["t"] : [],
                    expiresAt: number % 3 == 1 ? at(10) : nil))
        }
        tier.invalidate(.tag("t"), at: stamp(1))
        #expect(tier.sweepRound(now: at(10)) == 200)
        #expect(tier.entryCount == 100)
        #expect(tier.statistics.removals[.expired] == 100)
        #expect(tier.statistics.removals[.invalidated] == 100)
        tier.entries.checkEverything()
    }

    @Test func aSliceIsBounded() {
        var tier = MemoryTier.sample()
        var sliceCount = 0
        while !tier.sweep(bucketLimit: 4, now: at(1)).finishedRound { sliceCount += 1 }
        #expect(sliceCount == tier.entries.index.bucketCount / 4 - 1)
        #expect(tier.statistics.sweeps == 1)
    }

    @Test(arguments: [TestScope.tag("t"), .prefix("a"), .namespace(room), .everything])
    func aFloorIsRetiredAfterARoundThatBeganAfterIt(scope: TestScope) {
        var tier = MemoryTier.sample()
        tier.store(Offer(key: "hidden", fill: stamp(1)))
        tier.store(Offer(key: "a", tags: ["t"], fill: stamp(9)))
        // This round begins before the floor rises, so its end must not retire it.
        _ = tier.sweep(bucketLimit: 1, now: at(0))
        tier.invalidate(scope, at: stamp(5))
        tier.sweepRound(now: at(Self.minute))
        #expect(tier.statistics.tokenBase == .none)
        #expect(tier.refusal(lateFill(4)) == .invalidatedMeanwhile)

        _ = tier.sweepRound(now: at(Self.minute))
        #expect(tier.statistics.tokenBase == .none, "too young")
        tier.sweepRound(now: at(2 * Self.minute))
        #expect(tier.statistics.tokenBase == stamp(5))
        #expect(tier.refusal(lateFill(4)) == .tokenTooOld)
        #expect(tier.refusal(lateFill(5)) == nil)
        #expect(tier.statistics.prefixFloorCount == 0)
        #expect(tier.statistics.tagCount == 1)
        #expect(tier.seen("a") != nil)
        tier.entries.checkEverything()
    }

    @Test func aRoundRetiresNothingThatRoseWhileItWentOn() {
        var limits = MemoryTierLimits.sample()
        limits.floorAgeMin = .zero
        var tier = MemoryTier.sample(limits)
        for number in 0..<200 {
            tier.store(Offer(key: "key \(number)", tags: ["t"], fill: stamp(1)))
        }
        _ = tier.sweep(bucketLimit: tier.entries.index.bucketCount / 2, now: at(1))
        tier.invalidate(.tag("t"), at: stamp(2))
        tier.sweepRound()
        #expect(tier.statistics.tokenBase == .none)
        #expect(tier.entryCount > 50, "half of them lie where the round had been before")
        for number in 0..<200 { #expect(tier.seen("key \(number)") == nil) }
    }

    private func lateFill(_ sequence: UInt64) -> Offer {
        Offer(key: "ab", tags: ["t"], fill: stamp(sequence), isFenced: true)
    }

    @Test func retiringMakesNothingVisible() {
        var tier = MemoryTier.sample()
        for number in 0..<200 {
            tier.store(Offer(key: "key \(number)", tags: ["t"], fill: stamp(1)))
        }
        tier.invalidate(.tag("t"), .soft, at: stamp(2), now: late(3))
        tier.sweepRound(now: late(4))
        tier.sweepRound(now: late(4 + Self.minute))
        #expect(tier.statistics.tokenBase == stamp(2))
        for number in 0..<200 {
            #expect(tier.seen("key \(number)", now: late(9))?.softAge == age(6))
        }
    }

    @Test func tagsWithoutEntriesAndFloorsAreReclaimed() {
        var limits = MemoryTierLimits.sample()
        limits.tagsMax = 100
        limits.floorAgeMin = .zero
        var tier = MemoryTier.sample(limits)
        for number in 0..<20_000 {
            tier.store(
                Offer(key: "k\(number % 7)", tags: ["t\(number)"], fill: stamp(UInt64(number))))
            if number % 5 == 0 {
                tier.invalidate(.tag("unknown \(number)"), at: stamp(UInt64(number)))
            }
            if number % 50 == 0 { tier.sweepRound() }
        }
        tier.sweepRound()
        #expect(tier.statistics.tagCount == 7)
        #expect(tier.entries.floors.tags.records.count <= 100)
        tier.entries.checkEverything()
    }
}
