import ByteCoding
import CacheModel
import Testing

@testable import CacheMemory

@Suite struct PrefixFloorsTests {
    @Test func everyLengthOfPrefixCovers() {
        for length in 1...12 {
            var tier = MemoryTier.sample()
            tier.store(Offer(key: "abcdefghijkl", fill: stamp(1)))
            tier.invalidate(.prefix(String("abcdefghijkl".prefix(length))), at: stamp(2))
            #expect(tier.seen("abcdefghijkl") == nil, "a prefix of \(length)")
        }
    }

    @Test func pastTheBoundOfPrefixesTheNamespaceStandsIn() {
        var limits = MemoryTierLimits.sample()
        limits.prefixFloorsMax = 5
        var tier = MemoryTier.sample(limits)
        tier.store(Offer(key: "other", fill: stamp(1)))
        tier.store(Offer(key: "other", namespace: NamespaceNumber(1), fill: stamp(1)))
        for number in 0..<3 { tier.invalidate(.prefix("p\(number)"), at: stamp(2)) }
        #expect(tier.seen("other") != nil)
        tier.invalidate(.prefix("p0"), at: stamp(3))
        #expect(tier.seen("other") != nil, "a prefix that has a floor needs no room")
        tier.invalidate(.prefix("p3"), at: stamp(4))
        #expect(tier.seen("other") == nil)
        #expect(tier.seen("other", in: NamespaceNumber(1)) != nil)
        #expect(tier.statistics.prefixFloorCount == 3)
    }

    @Test func whatOneNamespaceTakesLeavesRoomForThePrefixesOfOthers() {
        var limits = MemoryTierLimits.sample()
        limits.prefixFloorsMax = 8
        var tier = MemoryTier.sample(limits)
        let other = NamespaceNumber(1)
        tier.store(Offer(key: "other", namespace: other, fill: stamp(1)))
        for number in 0..<20 { tier.invalidate(.prefix("p\(number)"), at: stamp(2)) }
        #expect(tier.statistics.prefixFloorCount == 4)
        for number in 0..<2 { tier.invalidate(.prefix("p\(number)", other), at: stamp(3)) }
        #expect(tier.seen("other", in: other) != nil)
        #expect(tier.statistics.prefixFloorCount == 6)
        tier.invalidate(.prefix("p2", other), at: stamp(4))
        #expect(tier.seen("other", in: other) == nil, "it has as many as are free")
    }

    @Test func lengthsOfOneNamespaceTakeNoneFromAnother() {
        var limits = MemoryTierLimits.sample()
        limits.prefixLengthsMax = 2
        var tier = MemoryTier.sample(limits)
        let other = NamespaceNumber(1)
        for key in ["zzz", "ccc"] {
            tier.store(Offer(key: key, namespace: other, fill: stamp(1)))
        }
        for prefix in ["a", "bb", "dddd"] { tier.invalidate(.prefix(prefix), at: stamp(2)) }
        tier.invalidate(.prefix("ccc", other), at: stamp(2))
        #expect(tier.seen("zzz", in: other) != nil && tier.seen("ccc", in: other) == nil)
    }

    /// Else it would share floors that are never looked for at its length.
    @Test func aPrefixHashCollisionOfAnotherLengthOrNamespaceIsRefused() {
        let rise = FloorRise(
            strength: .hard, stamp: stamp(5), now: at(1), ordinal: FloorOrdinal(2))
        var floors = PrefixFloors(hasher: KeyHasher(seed: 7), limits: .sample())
        let raised = [(3, 0), (4, 0), (3, 1), (3, 0)].map { byteCount, number in
            floors.raise(7, byteCount, in: NamespaceNumber(UInt16(number)), rise)
        }
        #expect(raised == [true, false, false, true])
        #expect(floors.count == 1)
        floors.check()
    }

    @Test func pastTheBoundOfLengthsTheNamespaceStandsIn() {
        var limits = MemoryTierLimits.sample()
        limits.prefixLengthsMax = 2
        var tier = MemoryTier.sample(limits)
        tier.store(Offer(key: "zzz", fill: stamp(1)))
        tier.invalidate(.prefix("a"), at: stamp(2))
        tier.invalidate(.prefix("bb"), at: stamp(2))
        tier.invalidate(.prefix("cc"), at: stamp(2))
        #expect(tier.seen("zzz") != nil)
        tier.invalidate(.prefix("ddd"), at: stamp(2))
        #expect(tier.seen("zzz") == nil)
    }

    @Test func retiredLengthsMakeRoomForOthers() {
        var limits = MemoryTierLimits.sample()
        limits.prefixLengthsMax = 1
        limits.floorAgeMin = .zero
        var tier = MemoryTier.sample(limits)
        tier.invalidate(.prefix("a"), at: stamp(2))
        tier.sweepRound()
        tier.store(Offer(key: "zzz", fill: stamp(2)))
        tier.invalidate(.prefix("bb"), at: stamp(3))
        #expect(tier.seen("zzz") != nil)
    }
}
