import CacheModel
import Testing

@testable import CacheMemory

@Suite struct TagTableTests {
    static func limits(tagsMax: Int) -> MemoryTierLimits {
        var limits = MemoryTierLimits.sample()
        limits.tagsMax = tagsMax
        limits.floorAgeMin = .zero
        return limits
    }

    @Test func pastTheBoundTagsStillObey() {
        var tier = MemoryTier.sample(Self.limits(tagsMax: 19))
        for number in 0..<40 {
            tier.store(Offer(key: "k\(number)", tags: ["t\(number)"], fill: stamp(1)))
        }
        #expect(tier.statistics.tagCount == 10)
        #expect(tier.seen("k5")?.tags == ["t5"])
        #expect(tier.seen("k30")?.tags == [])
        for number in 0..<40 {
            tier.invalidate(.tag("t\(number)"), at: stamp(2))
            #expect(tier.seen("k\(number)") == nil)
        }
        tier.entries.checkEverything()
    }

    @Test func whatOneNamespaceTakesLeavesRoomForTheTagsOfOthers() {
        var tier = MemoryTier.sample(Self.limits(tagsMax: 8))
        for number in 0..<20 {
            tier.store(Offer(key: "k\(number)", tags: ["t\(number)"], fill: stamp(1)))
        }
        #expect(tier.statistics.tagCount == 4)
        let other = NamespaceNumber(1)
        for number in 0..<3 {
            let tags = ["t\(number)"]
            tier.store(Offer(key: "k\(number)", namespace: other, tags: tags, fill: stamp(1)))
        }
        #expect(tier.seen("k1", in: other)?.tags == ["t1"])
        #expect(tier.seen("k2", in: other)?.tags == [], "it has as many as are free")
        #expect(tier.statistics.tagCount == 6)
        tier.entries.checkEverything()
    }

    @Test func pastTheBoundTokensAreStillHeldAgainstTheirTag() {
        var tier = MemoryTier.sample(Self.limits(tagsMax: 2))
        for number in 0..<10 { tier.invalidate(.tag("t\(number)"), at: stamp(5)) }
        for number in 0..<10 {
            let offer = Offer(tags: ["t\(number)"], fill: stamp(4), isFenced: true)
            #expect(tier.refusal(offer) == .invalidatedMeanwhile)
        }
    }

    @Test func aTagRecordAlsoInvalidatesEntriesOnTheSharedFloor() {
        var tier = MemoryTier.sample(Self.limits(tagsMax: 1))
        tier.store(Offer(key: "filler", tags: ["filler"], fill: stamp(1)))
        tier.store(Offer(key: "shared", tags: ["t"], fill: stamp(1)))
        tier.invalidate(.key("filler"), at: stamp(2))
        tier.store(Offer(key: "own", tags: ["t"], fill: stamp(2)))
        #expect(tier.seen("own")?.tags == ["t"])
        tier.invalidate(.tag("t"), at: stamp(3))
        #expect(tier.seen("own") == nil)
        #expect(tier.seen("shared") == nil)
    }

    @Test func aNewRecordInheritsWhatItsTagSharedBefore() {
        var tier = MemoryTier.sample(Self.limits(tagsMax: 1))
        tier.store(Offer(key: "filler", tags: ["filler"], fill: stamp(1)))
        tier.invalidate(.tag("t"), at: stamp(5))
        tier.invalidate(.key("filler"), at: stamp(6))
        // Another entry gives the tag a record of its own; the floor must have come with it.
        tier.store(Offer(key: "new", tags: ["t"], fill: stamp(6)))
        #expect(tier.seen("new")?.tags == ["t"])
        let late = Offer(key: "late", tags: ["t"], fill: stamp(4), isFenced: true)
        #expect(tier.refusal(late) == .invalidatedMeanwhile)
    }

    @Test func aTagWithTheHashOfAnotherShares() {
        var table = TagTable(tagsMax: 10)
        let rise = FloorRise(
            strength: .hard, stamp: stamp(5), now: at(1), ordinal: FloorOrdinal(2))
        withBytes("first") { first in
            withBytes("second") { second in
                let one = TagName(hash: 7, namespace: room, bytes: first)
                let other = TagName(hash: 7, namespace: room, bytes: second)
                let oneID = table.retain(one)
                let otherID = table.retain(other)
                #expect(!oneID.isShared && otherID.isShared)
                _ = table.raise(other, rise)
                #expect(table.floors(of: other).hard == stamp(5))
                #expect(table.floors(otherID).hard == stamp(5))
                #expect(table.floors(oneID).hard == .none)
                table.release(oneID)
                #expect(table.count == 0)
                #expect(table.floors(of: one).hard == stamp(5), "it may be what was meant")
            }
        }
    }
}
