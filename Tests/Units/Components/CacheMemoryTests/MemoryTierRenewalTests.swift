import CacheModel
import Testing

@testable import CacheMemory

/// Quarantined entries wait for the origin's word, and what it does to them.
@Suite struct MemoryTierRenewalTests {
    private static let tagged = Offer(
        key: "a", validator: "e1", tags: ["t"], expiresAt: at(100), fill: stamp(10))

    private func proof(
        _ validator: String = "e1", version: UInt64 = 0, fill: FillStamp = stamp(30)
    ) -> Offer {
        Offer(
            key: "a", value: [], version: version, validator: validator, expiresAt: at(500),
            fill: fill, isFenced: true)
    }

    private func quarantined() -> MemoryTier {
        var tier = MemoryTier.sample()
        tier.store(Self.tagged)
        tier.quarantineEverything(at: stamp(20))
        return tier
    }

    @Test func aQuarantinedEntryIsHiddenAndKept() {
        var tier = quarantined()
        #expect(tier.seen("a") == nil)
        #expect(tier.peeked("a") == nil)
        #expect(tier.scannedKeys() == [])
        let wasTouched = tier.touch("a", expiresAt: nil)
        #expect(!wasTouched)
        #expect(tier.entryCount == 1)
        #expect(tier.renewable("a") == "e1")
        tier.entries.checkEverything()
    }

    @Test func aQuarantinedEntryWithoutAValidatorIsForgotten() {
        var tier = MemoryTier.sample()
        tier.store(Offer(key: "a", fill: stamp(10)))
        tier.quarantineEverything(at: stamp(20))
        #expect(tier.seen("a") == nil)
        #expect(tier.entryCount == 0)
        #expect(tier.statistics.removals[.forgotten] == 1)
    }

    @Test func itStaysHiddenWhenItsQuarantineIsRetired() {
        var tier = quarantined()
        tier.sweepRound(now: at(2))
        let later = at(2).advanced(by: .seconds(61))
        var kept = Self.tagged
        kept.expiresAt = nil
        tier.store(kept, now: at(3))
        tier.quarantineEverything(at: stamp(21))
        for _ in 0..<3 { tier.sweepRound(now: later) }
        let moreLater = later.advanced(by: .seconds(61))
        for _ in 0..<3 { tier.sweepRound(now: moreLater) }
        #expect(tier.seen("a", now: moreLater) == nil)
        #expect(tier.renewable("a", now: moreLater) == "e1")
    }

    @Test func aRenewalShowsAnEntryWithANewFillAndExpiry() {
        var tier = quarantined()
        #expect(tier.renewal(proof(), now: at(90)) == nil)
        let seen = tier.seen("a", now: at(400))
        #expect(seen?.value == Self.tagged.value && seen?.tags == ["t"])
        #expect(seen?.fill == stamp(30) && seen?.expiresAt == at(500))
        #expect(tier.statistics.renewals == 1)
        tier.entries.checkEverything()
    }

    @Test func aSoftEntryThatIsRenewedIsFreshAgain() {
        var tier = MemoryTier.sample()
        tier.store(Self.tagged)
        tier.invalidate(.tag("t"), .soft, at: stamp(20))
        #expect(tier.seen("a")?.isSoft == true)
        #expect(tier.renewable("a") == "e1")
        #expect(tier.renewal(proof()) == nil)
        #expect(tier.seen("a")?.isSoft == false)
    }

    @Test func aRenewalTakesTheMarkOfABlindStoreOff() {
        var tier = MemoryTier.sample()
        var blind = Self.tagged
        blind.isUnfenced = true
        tier.store(blind)
        #expect(tier.renewal(proof()) == nil)
        #expect(tier.seen("a")?.isUnfenced == false)
    }

    @Test func anotherETagOrVersionRenewsNothing() {
        var tier = quarantined()
        #expect(tier.renewal(proof("e2")) == .changed)
        #expect(tier.renewal(proof("e1", version: 4)) == .changed)
        #expect(tier.renewal(proof("")) == .changed)
        tier.store(Offer(key: "a", version: 7, fill: stamp(21), isFenced: true))
        #expect(tier.renewal(proof("", version: 7)) == nil)
        #expect(tier.renewal(proof("e1")) == .changed)
    }

    /// A 304 that returns after an invalidation brings nothing back.
    @Test(arguments: [
        TestScope.key("a"), .tag("t"), .prefix("a"), .namespace(room), .everything,
    ])
    func aProofFromBeforeAnInvalidationRenewsNothing(scope: TestScope) {
        var tier = quarantined()
        tier.invalidate(scope, at: stamp(31))
        let refusal = tier.renewal(proof())
        #expect(refusal == .changed || refusal == .invalidatedMeanwhile)
        #expect(tier.seen("a") == nil)
        var soft = quarantined()
        soft.invalidate(scope, .soft, at: stamp(31))
        #expect(soft.renewal(proof()) == .invalidatedMeanwhile)
        #expect(soft.seen("a") == nil)
        #expect(soft.renewal(proof(fill: stamp(31))) == nil)
        #expect(soft.seen("a")?.isSoft == false)
    }

    @Test func aProofFromBeforeTheQuarantineRenewsNothing() {
        var tier = quarantined()
        #expect(tier.renewal(proof(fill: stamp(19))) == .tokenTooOld)
        #expect(tier.seen("a") == nil)
    }

    @Test func aVersionThatWasRuledOutIsNotRenewed() {
        var tier = MemoryTier.sample()
        tier.store(Offer(key: "a", version: 4, fill: stamp(10)))
        tier.invalidate(.key("a", minimumVersion: 5), .soft, at: stamp(20))
        #expect(tier.renewal(proof("", version: 4)) == .olderVersion)
    }

    @Test func aWithheldEntryStandsInNobodysWay() {
        var tier = MemoryTier.sample()
        tier.store(Offer(key: "a", version: 9, fill: stamp(10)))
        tier.quarantineEverything(at: stamp(20))
        #expect(tier.refusal(Offer(key: "a", version: 3, fill: stamp(20))) == nil)
        #expect(tier.seen("a")?.version == 3)
        #expect(tier.entryCount == 1)
    }

    @Test func aWithheldEntryEndsWithItsTime() {
        var tier = quarantined()
        #expect(tier.renewable("a", now: at(100)) == nil)
        #expect(tier.renewal(proof(), now: at(100)) == .changed)
        #expect(tier.seen("a", now: at(100)) == nil)
        #expect(tier.entryCount == 0)
    }
}
