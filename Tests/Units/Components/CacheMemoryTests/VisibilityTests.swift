import CacheModel
import Testing

@testable import CacheMemory

/// The one rule of visibility: each scope, each strength, before, at and after.
@Suite struct VisibilityTests {
    /// Every scope that covers the key `news/1` with tag `t` in room 0.
    static let covering: [TestScope] = [
        .key("news/1"), .tag("t"), .prefix("news/"), .namespace(room), .everything,
    ]
    static let notCovering: [TestScope] = [
        .key("news/2"), .key("news/1", NamespaceNumber(1)), .tag("u"),
        .tag("t", NamespaceNumber(1)), .prefix("news/2"), .prefix("news/1/x"),
        .prefix("news/", NamespaceNumber(1)), .namespace(NamespaceNumber(1)),
    ]
    static let offer = Offer(key: "news/1", tags: ["s", "t"], fill: stamp(10))

    @Test(arguments: covering, [9, 10, 11] as [UInt64])
    func aHardFloorHidesWhatWasFilledBelowIt(scope: TestScope, sequence: UInt64) {
        var tier = MemoryTier.sample()
        tier.store(Self.offer)
        #expect(tier.seen("news/1") != nil)
        tier.invalidate(scope, at: stamp(sequence))
        #expect((tier.seen("news/1") == nil) == (sequence > 10))
        #expect(tier.statistics.removals[.invalidated] == (sequence > 10 ? 1 : 0))
        #expect(tier.entryCount == (sequence > 10 ? 0 : 1))
        tier.entries.checkEverything()
    }

    @Test(arguments: covering, [9, 10, 11] as [UInt64])
    func aSoftFloorMakesStaleWhatWasFilledBelowIt(scope: TestScope, sequence: UInt64) {
        var tier = MemoryTier.sample()
        tier.store(Self.offer)
        tier.invalidate(scope, .soft, at: stamp(sequence), now: late(70))
        let seen = tier.seen("news/1", now: late(80))
        #expect(seen?.isSoft == (sequence > 10))
        #expect(seen?.softAge == (sequence > 10 ? age(10) : nil))
        #expect(tier.statistics.softHits == (sequence > 10 ? 1 : 0))
    }

    @Test(arguments: notCovering, InvalidationRecord.Strength.allCases)
    func anotherScopeChangesNothing(
        scope: TestScope, strength: InvalidationRecord.Strength
    ) {
        var tier = MemoryTier.sample()
        tier.store(Self.offer)
        tier.invalidate(scope, strength, at: stamp(99))
        #expect(tier.seen("news/1")?.isSoft == false)
    }

    @Test(arguments: covering)
    func aFloorThatRoseBeforeTheStoreHidesItToo(scope: TestScope) {
        var tier = MemoryTier.sample()
        tier.invalidate(scope, at: stamp(11))
        tier.store(Self.offer)
        // A key's floor guards against tokens alone; every other one is met on the way.
        if case .key = scope { return }
        #expect(tier.seen("news/1") == nil)
    }

    @Test(arguments: covering)
    func softNeverWeakensHard(scope: TestScope) {
        var tier = MemoryTier.sample()
        tier.store(Self.offer)
        tier.invalidate(scope, .hard, at: stamp(11))
        tier.invalidate(scope, .soft, at: stamp(12))
        #expect(tier.seen("news/1") == nil)
    }

    @Test(arguments: covering)
    func hardAfterSoftRemovesWhatWasStale(scope: TestScope) {
        var tier = MemoryTier.sample()
        tier.store(Self.offer)
        tier.invalidate(scope, .soft, at: stamp(11))
        #expect(tier.seen("news/1")?.isSoft == true)
        tier.invalidate(scope, .hard, at: stamp(12))
        #expect(tier.seen("news/1") == nil)
    }

    @Test(arguments: covering)
    func aLowerFloorAfterwardsChangesNothing(scope: TestScope) {
        var tier = MemoryTier.sample()
        tier.invalidate(scope, .hard, at: stamp(20))
        tier.invalidate(scope, .hard, at: stamp(5))
        var offer = Self.offer
        offer.isFenced = true
        #expect(tier.refusal(offer) == .invalidatedMeanwhile)
    }

    @Test func aStaleWindowCountsFromTheFirstSoftFloorThatWasMet() {
        var tier = MemoryTier.sample()
        tier.store(Self.offer)
        tier.invalidate(.tag("t"), .soft, at: stamp(11), now: late(50))
        #expect(tier.seen("news/1", now: late(60))?.softAge == age(10))
        tier.invalidate(.namespace(room), .soft, at: stamp(12), now: late(90))
        #expect(tier.seen("news/1", now: late(91))?.softAge == age(41))
        tier.invalidate(.key("news/1"), .soft, at: stamp(13), now: late(95))
        #expect(tier.seen("news/1", now: late(99))?.softAge == age(49))
    }

    @Test func storingAnewEndsStaleness() {
        var tier = MemoryTier.sample()
        tier.store(Self.offer)
        tier.invalidate(.tag("t"), .soft, at: stamp(11))
        var offer = Self.offer
        offer.fill = stamp(11)
        offer.isFenced = true
        #expect(tier.refusal(offer) == nil)
        #expect(tier.seen("news/1")?.isSoft == false)
    }

    @Test(arguments: [9, 10, 11] as [UInt64])
    func quarantineForgetsWhatWasFilledBelowIt(sequence: UInt64) {
        var tier = MemoryTier.sample()
        tier.store(Self.offer)
        tier.quarantineEverything(at: stamp(sequence))
        #expect((tier.seen("news/1") == nil) == (sequence > 10))
        #expect(tier.statistics.removals[.forgotten] == (sequence > 10 ? 1 : 0))
        #expect(tier.statistics.tokenBase == stamp(sequence))
    }

    @Test func aNewEpochHidesEverythingOfTheOldOne() {
        var tier = MemoryTier.sample()
        tier.store(Offer(key: "a", fill: stamp(1 << 40)))
        tier.quarantineEverything(at: stamp(0, epoch: 1))
        tier.store(Offer(key: "b", fill: stamp(0, epoch: 1)))
        #expect(tier.seen("a") == nil)
        #expect(tier.seen("b") != nil)
    }

    @Test func ordinalsThatComeRoundNeverHideARise() {
        var tier = MemoryTier.sample()
        tier.invalidate(.tag("t"), at: stamp(5))
        tier.store(Offer(key: "a", tags: ["t"], fill: stamp(10)))
        tier.store(Offer(key: "b", tags: ["t"], fill: stamp(30)))
        #expect(tier.seen("a") != nil)
        #expect(tier.seen("b") != nil)
        tier.entries.floors.skipOrdinals(to: FloorOrdinal(.max))
        // Counts anew from one; this rise makes it two, which is where both were checked.
        tier.invalidate(.tag("t"), at: stamp(20))
        #expect(tier.entries.floors.ordinal == FloorOrdinal(2))
        #expect(tier.seen("a") == nil)
        #expect(tier.seen("b") != nil)
        tier.entries.checkEverything()
    }
}
