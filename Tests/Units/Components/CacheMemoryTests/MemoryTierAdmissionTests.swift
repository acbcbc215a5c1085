import CacheModel
import Testing

@testable import CacheMemory

@Suite struct MemoryTierAdmissionTests {
    /// The token table: each scope and strength, and where the token stands.
    @Test(
        arguments: VisibilityTests.covering.flatMap { scope in
            InvalidationRecord.Strength.allCases.map { (scope, $0) }
        }, [9, 10, 11] as [UInt64])
    func aTokenIsAdmittedAtOrAboveEveryFloor(
        rise: (TestScope, InvalidationRecord.Strength), fill: UInt64
    ) {
        var tier = MemoryTier.sample()
        tier.invalidate(rise.0, rise.1, at: stamp(10))
        var offer = Offer(key: "news/1", tags: ["t"], fill: stamp(fill))
        offer.isFenced = true
        #expect(tier.refusal(offer) == (fill < 10 ? .invalidatedMeanwhile : nil))
        #expect((tier.seen("news/1") != nil) == (fill >= 10))
        #expect(tier.statistics.refusals[.invalidatedMeanwhile] == (fill < 10 ? 1 : 0))
    }

    /// Tags that share a floor are one for the entry, and so are doubled ones: its block has no
    /// room
    /// for the others, and what was taken is what is given back.
    @Test(arguments: [16, 900, 16_100, 16_380, 60_000])
    func aTagThatIsNamedAgainTakesNoRoom(valueBytes: Int) {
        var tier = MemoryTier.sample()
        let unused = tier.statistics.residentBytes
        for count in [1, 2, 9, 64] {
            let offer = Offer(
                value: Array(repeating: 7, count: valueBytes),
                tags: Array(repeating: "t", count: count))
            #expect(tier.refusal(offer) == nil)
            #expect(tier.seen("a")?.tags == ["t"])
            tier.invalidate(.key("a"), at: stamp(10))
            #expect(tier.entryCount == 0)
            #expect(tier.statistics.holeBytes == 0)
        }
        tier.entries.checkEverything()
        #expect(tier.statistics.residentBytes <= unused + EntryIndex.growthBytesMax)
    }

    @Test(arguments: VisibilityTests.notCovering)
    func aTokenIgnoresFloorsThatDoNotCoverIt(scope: TestScope) {
        var tier = MemoryTier.sample()
        tier.invalidate(scope, at: stamp(10))
        let offer = Offer(key: "news/1", tags: ["t"], fill: stamp(1), isFenced: true)
        #expect(tier.refusal(offer) == nil)
    }

    @Test func aTokenMeetsAFloorAlthoughANewerEntryHasLeft() {
        var tier = MemoryTier.sample()
        tier.store(Offer(tags: ["t"], fill: stamp(1)))
        tier.invalidate(.key("a"), at: stamp(2))
        tier.invalidate(.key("a"), .soft, at: stamp(3))
        #expect(tier.seen("a") == nil)
        #expect(tier.refusal(Offer(fill: stamp(2), isFenced: true)) == .invalidatedMeanwhile)
        #expect(tier.refusal(Offer(fill: stamp(3), isFenced: true)) == nil)
    }

    @Test func aStoreWithoutATokenIsNotHeldAgainstFloors() {
        var tier = MemoryTier.sample()
        tier.invalidate(.key("a"), at: stamp(10))
        tier.quarantineEverything(at: stamp(11))
        #expect(tier.refusal(Offer(fill: stamp(11), isUnfenced: true)) == nil)
        #expect(tier.seen("a")?.isUnfenced == true)
    }

    @Test func quarantineRefusesOlderTokens() {
        var tier = MemoryTier.sample()
        tier.quarantineEverything(at: stamp(10))
        #expect(tier.refusal(Offer(fill: stamp(9), isFenced: true)) == .tokenTooOld)
        #expect(tier.refusal(Offer(fill: stamp(10), isFenced: true)) == nil)
    }

    @Test func droppedKeyFloorsRaiseTheTokenBaseAndHideNothing() {
        var limits = MemoryTierLimits.sample()
        limits.keyFloorsMax = 4
        var tier = MemoryTier.sample(limits)
        tier.store(Offer(key: "kept", fill: stamp(0)))
        for sequence in 1...4 as ClosedRange<UInt64> {
            tier.invalidate(.key("k\(sequence)"), at: stamp(sequence))
        }
        #expect(tier.statistics.tokenBase == .none)
        #expect(tier.statistics.keyFloorCount == 4)
        tier.invalidate(.key("k5"), at: stamp(5))
        #expect(tier.statistics.tokenBase == stamp(2))
        #expect(
            tier.refusal(Offer(key: "k1", fill: stamp(0), isFenced: true)) == .tokenTooOld)
        #expect(
            tier.refusal(Offer(key: "k4", fill: stamp(3), isFenced: true))
                == .invalidatedMeanwhile)
        #expect(tier.seen("kept") != nil)
    }

    @Test func aVersionMustExceedTheResidentOne() {
        var tier = MemoryTier.sample()
        #expect(tier.refusal(Offer(version: 5)) == nil)
        #expect(tier.refusal(Offer(version: 4)) == .olderVersion)
        #expect(tier.refusal(Offer(version: 5)) == .olderVersion)
        #expect(tier.refusal(Offer(version: 6)) == nil)
        #expect(tier.seen("a")?.version == 6)
        // Without a version it stands outside of that order.
        #expect(tier.refusal(Offer(version: 0)) == nil)
        #expect(tier.refusal(Offer(version: 1)) == nil)
    }

    @Test func theSameVersionRefreshesAStaleEntryOnlyWithAToken() {
        var tier = MemoryTier.sample()
        tier.store(Offer(version: 5, fill: stamp(1)))
        tier.invalidate(.key("a"), .soft, at: stamp(2))
        #expect(tier.refusal(Offer(version: 5, fill: stamp(2))) == .olderVersion)
        #expect(
            tier.refusal(Offer(version: 5, fill: stamp(1), isFenced: true))
                == .invalidatedMeanwhile)
        #expect(tier.refusal(Offer(version: 5, fill: stamp(2), isFenced: true)) == nil)
        #expect(tier.seen("a")?.isSoft == false)
        #expect(
            tier.refusal(Offer(version: 5, fill: stamp(2), isFenced: true)) == .olderVersion)
    }

    @Test(arguments: [4, 5, 6] as [UInt64], InvalidationRecord.Strength.allCases)
    func aMinimumVersionSparesValuesAtOrAboveIt(
        version: UInt64, strength: InvalidationRecord.Strength
    ) {
        var tier = MemoryTier.sample()
        tier.store(Offer(version: version, fill: stamp(1)))
        tier.invalidate(.key("a", minimumVersion: 5), strength, at: stamp(2))
        let seen = tier.seen("a")
        switch strength {
        case .hard: #expect((seen == nil) == (version < 5))
        case .soft: #expect(seen?.isSoft == (version < 5))
        }
    }

    @Test func aMinimumVersionCoversAValueWithoutOne() {
        var tier = MemoryTier.sample()
        tier.store(Offer(fill: stamp(1)))
        tier.invalidate(.key("a", minimumVersion: 5), at: stamp(2))
        #expect(tier.seen("a") == nil)
    }

    @Test func aVersionFloorRefusesLesserVersionsHoweverTheyCome() {
        var tier = MemoryTier.sample()
        tier.invalidate(.key("a", minimumVersion: 5), at: stamp(10))
        #expect(tier.refusal(Offer(version: 4, fill: stamp(10))) == .olderVersion)
        #expect(
            tier.refusal(Offer(version: 4, fill: stamp(10), isFenced: true)) == .olderVersion)
        #expect(tier.refusal(Offer(fill: stamp(9), isFenced: true)) == .invalidatedMeanwhile)
        #expect(tier.refusal(Offer(fill: stamp(10), isFenced: true)) == nil)
        tier.invalidate(.key("a", minimumVersion: 6), at: stamp(11))
        // That invalidation does not cover version 6, so an older token will do.
        #expect(tier.refusal(Offer(version: 6, fill: stamp(3), isFenced: true)) == nil)
    }

    @Test func aMinimumVersionNeverWeakensAnUnconditionalFloor() {
        var tier = MemoryTier.sample()
        tier.invalidate(.key("a"), at: stamp(10))
        tier.invalidate(.key("a", minimumVersion: 5), at: stamp(11))
        #expect(
            tier.refusal(Offer(version: 9, fill: stamp(9), isFenced: true))
                == .invalidatedMeanwhile)
        #expect(tier.refusal(Offer(version: 9, fill: stamp(10), isFenced: true)) == nil)
    }

    @Test func anUnconditionalInvalidationResetsTheVersionFloor() {
        var tier = MemoryTier.sample()
        tier.invalidate(.key("a", minimumVersion: 5), at: stamp(10))
        tier.invalidate(.key("a"), at: stamp(11))
        #expect(
            tier.refusal(Offer(version: 9, fill: stamp(10), isFenced: true))
                == .invalidatedMeanwhile)
        #expect(tier.refusal(Offer(version: 1, fill: stamp(11), isFenced: true)) == nil)
    }

    @Test(arguments: [4, 5, 6] as [UInt64])
    func aTokenFromElsewhereReplacesOnlyAnOlderFill(fill: UInt64) {
        var tier = MemoryTier.sample()
        tier.store(Offer(fill: stamp(5)))
        let offer = Offer(
            value: [9], fill: stamp(fill), isFenced: true, replacesOnlyOlderFill: true)
        #expect(tier.refusal(offer) == (fill <= 5 ? .leaseVoid : nil))
        #expect(tier.seen("a")?.value == (fill <= 5 ? [1, 2, 3] : [9]))
    }

    @Test func aForeignTokenFillsAnAbsentOrExpiredKey() {
        var tier = MemoryTier.sample()
        let offer = Offer(
            expiresAt: at(5), fill: stamp(1), isFenced: true, replacesOnlyOlderFill: true)
        #expect(tier.refusal(offer, now: at(1)) == nil)
        #expect(tier.refusal(offer, now: at(4)) == .leaseVoid)
        #expect(tier.refusal(offer, now: at(5)) == nil)
        #expect(tier.statistics.removals[.expired] == 1)
    }

    @Test func whatIsOutsideTheLimitsIsRefused() {
        var tier = MemoryTier.sample()
        let long = { String(repeating: "x", count: $0) }
        #expect(tier.refusal(Offer(key: "")) == .outOfRange)
        #expect(tier.refusal(Offer(key: long(4_097))) == .outOfRange)
        #expect(tier.refusal(Offer(key: long(4_096))) == nil)
        #expect(tier.refusal(Offer(validator: long(256))) == .outOfRange)
        #expect(tier.refusal(Offer(validator: long(255))) == nil)
        #expect(tier.refusal(Offer(tags: [long(256)])) == .outOfRange)
        #expect(tier.refusal(Offer(tags: [""])) == .outOfRange)
        #expect(tier.refusal(Offer(tags: (0..<65).map(String.init))) == .outOfRange)
        #expect(tier.refusal(Offer(tags: (0..<64).map(String.init))) == nil)
        #expect(tier.statistics.refusals[.outOfRange] == 6)
        tier.entries.checkEverything()
    }

    @Test func anEntryAboveItsShareIsTooLarge() {
        var tier = MemoryTier.sample(.sample(10_000))
        #expect(tier.refusal(Offer(value: Array(repeating: 0, count: 1_000))) == .tooLarge)
        #expect(tier.refusal(Offer(value: Array(repeating: 0, count: 800))) == nil)
    }
}
