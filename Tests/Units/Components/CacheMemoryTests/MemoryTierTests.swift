import CacheModel
import Testing
import TestSupport

@testable import CacheMemory

@Suite struct MemoryTierTests {
    @Test func whatWasStoredIsSeenWhole() throws {
        var tier = MemoryTier.sample()
        let offer = Offer(
            key: "a key of more than sixteen bytes", namespace: NamespaceNumber(3),
            value: Array("value".utf8), version: 7, validator: "\"etag\"",
            tags: ["x", "y", "x"], expiresAt: at(500), fill: stamp(9, epoch: 2),
            isUnfenced: true)
        let effect = try tier.store(offer, now: at(20)).get()
        #expect(!effect.replaced)
        #expect(effect.costBytes == tier.entries.residentWeight)
        #expect(tier.statistics.residentBytes >= effect.costBytes)
        let seen = try required(tier.seen(offer.key, in: offer.namespace, now: at(30)))
        #expect(seen.key == offer.key)
        #expect(seen.value == offer.value)
        #expect(seen.namespace == offer.namespace)
        #expect(seen.version == 7)
        #expect(seen.validator == "\"etag\"")
        #expect(seen.tags == ["x", "y"])
        #expect(seen.fill == offer.fill)
        #expect(seen.expiresAt == at(500))
        #expect(seen.isUnfenced && !seen.isSoft)
        #expect(tier.seen(offer.key) == nil)
        tier.entries.checkEverything()
    }

    /// An age stops counting after 729 days; both say the same then, too.
    @Test(arguments: [0, 1, 16, 17, 18, 999, 86_400_000, 729 * 86_400_000, 800 * 86_400_000])
    func anAgeIsTheSameInEitherUnit(milliseconds: Int64) throws {
        var tier = MemoryTier.sample()
        tier.store(Offer(), now: at(20))
        let now = at(20).advanced(by: .milliseconds(milliseconds))
        let ages = withBytes("a") { key in
            let hash = tier.hash(namespace: Offer().namespace, key: key)
            return tier.peek(hash, namespace: Offer().namespace, key: key, now: now).map {
                ($0.age(at: now), $0.ageMilliseconds(at: now))
            }
        }
        let (duration, count) = try required(ages)
        #expect(count == UInt64(duration.wholeMilliseconds))
        let counted = min(milliseconds, 63_050_394_783)
        #expect(abs(Int64(count) - counted) <= 17)
    }

    @Test func emptyIsAnOrdinaryValue() {
        var tier = MemoryTier.sample()
        tier.store(Offer(value: []))
        #expect(tier.seen("a")?.value == [])
    }

    /// Keys that share a beginning, an end or a length with another.
    @Test func keysOfEveryLengthAreToldApart() {
        var tier = MemoryTier.sample()
        for length in 1...40 {
            for last in ["x", "y"] {
                let key = String(repeating: "k", count: length) + last
                tier.store(Offer(key: key, value: Array(key.utf8)))
            }
        }
        #expect(tier.entryCount == 80)
        for length in 1...40 {
            for last in ["x", "y"] {
                let key = String(repeating: "k", count: length) + last
                #expect(tier.seen(key)?.value == Array(key.utf8))
            }
        }
    }

    /// Values of one length, stored in one tick: nothing but the bytes, or the count of stores,
    /// tells them apart.
    @Test(arguments: [1, 1_023, 1_024, 5_000])
    func anotherValueHasAnotherIdentity(count: Int) throws {
        var tier = MemoryTier.sample()
        tier.store(Offer(value: Array(repeating: 1, count: count)))
        let first = try required(tier.identity("a"))
        let again = try required(tier.identity("a"))
        #expect(again == first)
        tier.store(Offer(value: Array(repeating: 2, count: count)))
        let second = try required(tier.identity("a"))
        #expect(second != first)
    }

    @Test func aReplacedEntryIsCountedOnce() throws {
        var tier = MemoryTier.sample()
        tier.store(Offer(value: [1], tags: ["old"]))
        let effect = try tier.store(Offer(value: [2, 2], tags: ["new"])).get()
        let second = try required(tier.seen("a"))
        #expect(effect.replaced)
        #expect(second.value == [2, 2])
        #expect(tier.entryCount == 1)
        #expect(tier.statistics.removals[.replaced] == 1)
        #expect(tier.statistics.tagCount == 1)
        tier.entries.checkEverything()
    }

    @Test func anEntryIsNeverReturnedAtOrAfterItsEnd() {
        var tier = MemoryTier.sample()
        tier.store(Offer(expiresAt: at(100)), now: at(1))
        #expect(tier.seen("a", now: at(99)) != nil)
        #expect(tier.seen("a", now: at(100)) == nil)
        #expect(tier.entryCount == 0)
        #expect(tier.statistics.removals[.expired] == 1)
        tier.store(Offer(), now: at(1))
        #expect(tier.seen("a", now: at(.max - 1)) != nil)
    }

    @Test func touchMovesTheEndAndNothingElse() throws {
        var tier = MemoryTier.sample()
        #expect(tier.touch("a", expiresAt: nil) == false)
        tier.store(Offer(expiresAt: at(100)), now: at(1))
        let before = try required(tier.peeked("a"))
        #expect(tier.touch("a", expiresAt: at(200), now: at(50)) == true)
        var after = try required(tier.peeked("a", now: at(199)))
        #expect(after.expiresAt == at(200))
        after.expiresAt = before.expiresAt
        #expect(after == before)
        #expect(tier.touch("a", expiresAt: nil, now: at(200)) == false)
    }

    @Test func aPeekCountsNothing() {
        var tier = MemoryTier.sample()
        tier.store(Offer())
        #expect(tier.peeked("a") != nil)
        #expect(tier.peeked("b") == nil)
        #expect(tier.statistics.hits == 0 && tier.statistics.misses == 0)
        _ = tier.seen("a")
        _ = tier.seen("b")
        #expect(tier.statistics.hits == 1 && tier.statistics.misses == 1)
    }

    @Test func prefetchingWhatIsNotThereDoesNoHarm() {
        var tier = MemoryTier.sample()
        tier.store(Offer())
        for key in ["a", "b", "c"] {
            tier.prefetchBucket(tier.hash(key))
            tier.prefetchEntry(tier.hash(key))
        }
        #expect(tier.seen("a") != nil)
    }

    @Test(arguments: EvictionPolicyName.allCases, [UInt64(1)])
    func theBudgetHoldsUnderShiftingSizes(policy: EvictionPolicyName, seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var tier = MemoryTier.sample(.sample(60_000), policy: policy)
        for step in 0..<6_000 {
            // Phases of small, then large, then mixed values.
            let bytesMax = [40, 3_000, 900][step / 2_000]
            let offer = Offer(
                key: "k\(dice.below(400))",
                value: Array(repeating: 7, count: dice.below(bytesMax)),
                tags: dice.chance(3) ? ["t\(dice.below(9))"] : [], expiresAt: nil)
            #expect(tier.refusal(offer) == nil)
            #expect(tier.statistics.residentBytes <= 60_000)
            #expect(tier.peeked(offer.key)?.value.count == offer.value.count)
            _ = tier.seen("k\(dice.below(400))")
        }
        tier.entries.checkEverything()
        let statistics = tier.statistics
        #expect((statistics.removals[.evicted] ?? 0) > 100)
        let removedCount = statistics.removals.values.reduce(0, +)
        #expect(statistics.stores == removedCount + UInt64(statistics.entryCount))
    }

    @Test func whatIsOverAnywayIsNotAnEviction() {
        var tier = MemoryTier.sample(.sample(13_000), policy: .fifo)
        for number in 0..<20 {
            tier.store(
                Offer(
                    key: "old\(number)", value: Array(repeating: 0, count: 300),
                    tags: number < 10 ? ["t"] : [], expiresAt: number < 10 ? nil : at(5)),
                now: at(1))
        }
        tier.invalidate(.tag("t"), at: stamp(1))
        for number in 0..<20 {
            tier.store(
                Offer(
                    key: "new\(number)", value: Array(repeating: 0, count: 300),
                    fill: stamp(1)), now: at(6))
        }
        #expect(tier.statistics.removals[.evicted] == 0)
        #expect((tier.statistics.removals[.expired] ?? 0) > 0)
        #expect((tier.statistics.removals[.invalidated] ?? 0) > 0)
    }

    @Test func readEntriesOutliveUnreadOnesExceptUnderFIFO() {
        for policy in EvictionPolicyName.allCases where policy != .fifo {
            var tier = MemoryTier.sample(.sample(50_000), policy: policy)
            for number in 0..<20 { tier.store(Offer(key: "hot\(number)")) }
            for number in 0..<2_000 {
                tier.store(Offer(key: "once\(number)"))
                _ = tier.seen("hot\(number % 20)")
            }
            let kept = (0..<20).filter { tier.peeked("hot\($0)") != nil }.count
            #expect(kept == 20, "\(policy) kept \(kept) of 20")
        }
    }
}
