import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// What is there and nobody vouches for: a miss tells what to ask the origin about, and its word
/// makes the value hold again.
@Suite struct ShardCoreRenewalTests {
    private func stored(_ shard: inout ShardHarness, version: UInt64 = 0) {
        var description = SetOperation.Description(version: Version(version), tags: [.named("t")])
        description.token = shard.token(for: "a")
        description.etag = Validator("e1")
        #expect(shard.set("a", "one", description).status == .stored)
    }

    private func renewal(_ token: FillToken?, etag: String = "e1") -> SetOperation.Description {
        var description = SetOperation.Description(timeToLive: 60_000)
        description.options = .renew
        description.token = token
        description.etag = Validator(etag)
        return description
    }

    @Test func aMissOverASoftEntryTellsWhatToAskAbout() {
        var shard = ShardHarness()
        stored(&shard, version: 7)
        _ = shard.invalidate(.tag("t"), strength: .soft)
        let plain = shard.get("a")
        #expect(plain.status == .miss && plain.flags == .soft)
        #expect(plain.fields.etag == nil, "only who may load is told")
        let miss = shard.get("a", .token)
        #expect(miss.fields.token != nil)
        #expect(miss.fields.etag == Validator("e1") && miss.fields.version == Version(7))

        let renewed = shard.set("a", "", renewal(miss.fields.token))
        #expect(renewed.status == .stored && renewed.flags == [])
        let hit = shard.get("a", .details)
        #expect(hit.status == .hit && hit.text == "one" && hit.ttl <= 60_000)
        #expect(hit.fields.fillPosition == shard.log.head.position)
        #expect(hit.fields.tags == [.named("t")])
        #expect(shard.core.statistics.renewed == 1)
    }

    @Test func whatAnotherEpochHidCanBeRenewed() {
        var shard = ShardHarness()
        stored(&shard)
        shard.beginEpoch(2)
        let miss = shard.get("a", [.token, .allowStale])
        #expect(miss.status == .miss && miss.fields.etag == Validator("e1"))
        #expect(shard.set("a", "", renewal(miss.fields.token)).status == .stored)
        #expect(shard.get("a").text == "one")
    }

    /// The answer of the origin comes back after an invalidation: nothing comes back with it.
    @Test(arguments: InvalidationRecord.Strength.allCases)
    func aRenewalThatAnInvalidationOvertakesIsRefused(strength: InvalidationRecord.Strength) {
        var shard = ShardHarness()
        stored(&shard)
        shard.beginEpoch(2)
        let token = shard.token(for: "a")
        _ = shard.invalidate(.tag("t"), strength: strength)
        let refused = shard.set("a", "", renewal(token))
        #expect(refused.refusal == .changed || refused.refusal == .invalidatedMeanwhile)
        #expect(shard.get("a").status == .miss)
    }

    @Test func aRenewalWithAVoidLeaseIsRefused() {
        var shard = ShardHarness()
        stored(&shard)
        _ = shard.invalidate(.key("a"), strength: .soft)
        let token = shard.token(for: "a")
        #expect(shard.set("a", "", renewal(token)).status == .stored)
        #expect(shard.set("a", "", renewal(token)).refusal == .leaseVoid)
    }

    @Test func aRenewalWithAnotherValidatorIsRefusedAndFreesItsLease() {
        var shard = ShardHarness()
        stored(&shard)
        _ = shard.invalidate(.key("a"), strength: .soft)
        #expect(shard.set("a", "", renewal(shard.token(for: "a"), etag: "e2")).refusal == .changed)
        #expect(shard.token(for: "a") != nil)
    }

    @Test func aRenewalWithExtraOrMissingFieldsIsOutOfRange() {
        var shard = ShardHarness()
        stored(&shard)
        _ = shard.invalidate(.key("a"), strength: .soft)
        let token = shard.token(for: "a")
        var bare = renewal(token)
        bare.etag = nil
        var tagged = renewal(token)
        tagged.tags = [.named("u")]
        #expect(shard.set("a", "value", renewal(token)).refusal == .outOfRange)
        #expect(shard.set("a", "", renewal(nil)).refusal == .outOfRange)
        #expect(shard.set("a", "", bare).refusal == .outOfRange)
        #expect(shard.set("a", "", tagged).refusal == .outOfRange)
    }

    @Test func aSuspectNodeThatRevalidatesMissesAndTellsWhatToAskAbout() {
        var shard = ShardHarness()
        var policy = NamespacePolicy()
        policy.suspect = .revalidate
        shard.core.configure([:], fallback: policy)
        stored(&shard)
        shard.makeLive(for: .seconds(3))
        #expect(shard.get("a").status == .hit)
        shard.advance(by: .seconds(3))
        let miss = shard.get("a", .token)
        #expect(miss.status == .miss && miss.flags == .suspect)
        #expect(miss.fields.etag == Validator("e1"))
        #expect(shard.set("a", "", renewal(miss.fields.token)).status == .stored)
        #expect(shard.get("a").status == .miss, "who asks next asks the origin as well")
        #expect(shard.get("a", .allowStale).status == .stale)
    }
}
