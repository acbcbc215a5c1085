import CacheModel
import Testing

@testable import CacheMemory

/// Entries of the disk that memory has no room for, and evicts nothing for: each serves one answer.
@Suite struct GuestTests {
    /// A tier with a default namespace that refuses, and holds as many entries as it may.
    private static func fullTier(entriesMax: Int = 3) throws -> MemoryTier {
        var tier = MemoryTier.sample()
        var quota = MemoryQuota(most: try #require(Percent(50)), guaranteed: .none)
        quota.entriesMax = entriesMax
        quota.whenFull = .refuse
        tier.entries.setQuotas([room: quota])
        for key in 0..<entriesMax { tier.store(Offer(key: "k\(key)")) }
        return tier
    }

    private func promote(
        _ offer: Offer, into tier: inout MemoryTier, mayBeGuest: Bool = true
    ) -> Promotion {
        let hash = tier.hash(offer.key)
        return offer.withCandidate(hash: hash) {
            tier.promote($0, isSoftened: false, mayBeGuest: mayBeGuest, now: at(1))
        }
    }

    @Test func aGuestIsServedAndNotKept() throws {
        var tier = try Self.fullTier()
        let offer = Offer(key: "disk", value: [7, 8], version: 4, tags: ["t"])
        let promotion = promote(offer, into: &tier)
        #expect(promotion == .guest)
        let seen = tier.seen("disk")
        #expect(seen?.value == [7, 8] && seen?.version == 4 && seen?.tags == ["t"])
        tier.entries.checkEverything()
        tier.entries.dismissGuest()
        #expect(tier.seen("disk") == nil)
        let statistics = tier.statistics
        #expect(statistics.entryCount == 3 && statistics.promotions == 0)
        #expect(statistics.removals.values.reduce(0, +) == 0, "it is neither evicted nor removed")
        for key in 0..<3 { #expect(tier.seen("k\(key)") != nil) }
        tier.entries.checkEverything()
    }

    @Test func onlyTheGuestIsKnownAsOne() throws {
        var tier = try Self.fullTier()
        func isGuest(_ key: String, _ tier: borrowing MemoryTier) -> Bool {
            let hash = tier.hash(key)
            return withBytes(key) { tier.entries.isGuest(hash, namespace: room, key: $0) }
        }
        _ = promote(Offer(key: "disk"), into: &tier)
        #expect(isGuest("disk", tier) == true && isGuest("k0", tier) == false)
        tier.entries.dismissGuest()
        #expect(isGuest("disk", tier) == false)
    }

    @Test func aNextOneTakesItsPlace() throws {
        var tier = try Self.fullTier()
        for key in 0..<10 {
            let promotion = promote(Offer(key: "disk \(key)"), into: &tier)
            #expect(promotion == .guest && tier.entryCount == 4)
        }
        tier.entries.dismissGuest()
        tier.entries.dismissGuest()
        #expect(tier.entryCount == 3)
        tier.entries.checkEverything()
    }

    @Test func whatNoAnswerWaitsForIsRefused() throws {
        var tier = try Self.fullTier()
        let promotion = promote(Offer(key: "disk"), into: &tier, mayBeGuest: false)
        #expect(promotion == .refused && tier.entryCount == 3)
    }

    @Test func whereThereIsRoomItStays() throws {
        var tier = try Self.fullTier()
        tier.invalidate(.key("k0"), at: stamp(1))
        let promotion = promote(Offer(key: "disk", fill: stamp(1)), into: &tier)
        #expect(promotion == .promoted)
        tier.entries.dismissGuest()
        #expect(tier.seen("disk") != nil && tier.entryCount == 3)
    }

    @Test func aGuestThatIsInvalidatedIsNotShown() throws {
        var tier = try Self.fullTier()
        tier.invalidate(.tag("t"), at: stamp(2))
        let promotion = promote(Offer(key: "disk", tags: ["t"], fill: stamp(1)), into: &tier)
        #expect(promotion == .over(.invalidated) && tier.entryCount == 3)
        tier.entries.dismissGuest()
        tier.entries.checkEverything()
    }

    /// Its version counts, and its place does not: else a store would come in through it.
    @Test func aStoreOverAGuestIsAStoreOfANewKey() throws {
        var tier = try Self.fullTier()
        let known = Offer(key: "disk", version: 4)
        _ = promote(known, into: &tier)
        #expect(tier.refusal(Offer(key: "disk", version: 3)) == .olderVersion)
        _ = promote(known, into: &tier)
        #expect(tier.refusal(Offer(key: "disk", version: 5)) == .full)
        #expect(tier.entryCount == 3)
        tier.invalidate(.key("k0"), at: stamp(1))
        _ = promote(known, into: &tier)
        #expect(tier.refusal(Offer(key: "disk", version: 5, fill: stamp(1))) == nil)
        tier.entries.dismissGuest()
        #expect(tier.seen("disk")?.version == 5 && tier.entryCount == 3)
        tier.entries.checkEverything()
    }

    /// A value of many frames is read in parts, each from another guest.
    @Test(arguments: [10, 1_024, 40_000])
    func aGuestIsTheSameEachTime(byteCount: Int) throws {
        var tier = try Self.fullTier()
        var identities: Set<UInt64> = []
        for _ in 0..<5 {
            let value = [UInt8](repeating: 5, count: byteCount)
            _ = promote(Offer(key: "disk", value: value), into: &tier)
            identities.insert(try required(tier.identity("disk")))
            tier.entries.dismissGuest()
        }
        #expect(identities.count == 1)
        _ = promote(
            Offer(key: "disk", value: [UInt8](repeating: 6, count: byteCount)), into: &tier)
        identities.insert(try required(tier.identity("disk")))
        #expect(identities.count == 2)
    }
}
