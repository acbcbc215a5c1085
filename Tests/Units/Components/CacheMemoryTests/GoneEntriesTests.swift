import ByteCoding
import CacheModel
import Testing
import TestSupport

@testable import CacheMemory

@Suite struct GoneEntriesTests {
    private func loss(
        _ key: String, of tier: inout MemoryTier, in namespace: NamespaceNumber = room
    ) -> CoveringFloor? {
        let hash = tier.hash(key, namespace)
        let account = withBytes(key) {
            tier.explain(hash, namespace: namespace, key: $0, now: at(1))
        }
        return account.floors.first(where: \.hidLast)
    }

    @Test func theHidingTagIsKnownAfterTheSweepRemovedItsEntry() {
        var tier = MemoryTier.sample()
        tier.store(Offer(key: "a", tags: ["old", "news"], fill: stamp(1)))
        tier.invalidate(.tag("old"), at: stamp(1))
        tier.invalidate(.tag("news"), at: stamp(3))
        #expect(loss("a", of: &tier) == nil)
        tier.sweepRound()
        tier.sweepRound()
        let found = loss("a", of: &tier)
        #expect(found?.cover == .tag(Array("news".utf8)) && found?.hard == stamp(3))
        #expect(loss("b", of: &tier) == nil)
    }

    @Test func aReadThatTakesItAwayIsEnough() {
        var tier = MemoryTier.sample()
        tier.store(Offer(key: "a", tags: ["news"], fill: stamp(1)))
        tier.invalidate(.tag("news"), at: stamp(3))
        #expect(tier.seen("a") == nil)
        #expect(loss("a", of: &tier)?.cover == .tag(Array("news".utf8)))
    }

    @Test(arguments: [
        (TestScope.key("a"), CoveringFloor.Cover.key), (.namespace(room), .namespace),
        (.everything, .everything),
    ])
    func otherScopesAreKnownToo(scope: TestScope, cover: CoveringFloor.Cover) {
        var tier = MemoryTier.sample()
        tier.store(Offer(key: "a", fill: stamp(1)))
        tier.invalidate(scope, at: stamp(3))
        tier.sweepRound()
        #expect(loss("a", of: &tier)?.cover == cover && loss("a", of: &tier)?.hard == stamp(3))
    }

    @Test func anEntryThatIsThereAgainOrWasReplacedHasLostNothing() {
        var tier = MemoryTier.sample()
        tier.store(Offer(key: "a", tags: ["news"], fill: stamp(1)))
        tier.store(Offer(key: "a", tags: ["news"], fill: stamp(2)))
        #expect(loss("a", of: &tier) == nil)
        tier.invalidate(.tag("news"), at: stamp(3))
        tier.sweepRound()
        tier.store(Offer(key: "a", tags: ["news"], fill: stamp(4)))
        #expect(loss("a", of: &tier) == nil)
    }

    @Test func aReplacedEntryIsNotReportedAsInvalidated() {
        var tier = MemoryTier.sample()
        tier.store(Offer(key: "a", tags: ["news"], fill: stamp(1)))
        tier.invalidate(.tag("news"), at: stamp(3))
        tier.sweepRound()
        #expect(loss("a", of: &tier) != nil)
        tier.store(Offer(key: "a", fill: stamp(4)))
        tier.store(Offer(key: "a", fill: stamp(5)))
        #expect(loss("a", of: &tier) == nil)
    }

    @Test func theOldestIsForgottenAndTheNewestOfAKeyCounts() {
        var gone = GoneEntries()
        for number in 0...GoneEntries.countMax {
            gone.append(
                .init(
                    hash: KeyHash(UInt64(number)), namespace: room, cover: .everything,
                    stamp: stamp(1)))
        }
        #expect(gone.floor(over: KeyHash(0), room) == nil)
        #expect(gone.floor(over: KeyHash(1), room) != nil)
        gone.append(
            .init(hash: KeyHash(9), namespace: room, cover: .namespace, stamp: stamp(2)))
        #expect(gone.floor(over: KeyHash(9), room)?.cover == .namespace)
        #expect(gone.floor(over: KeyHash(9), NamespaceNumber(7)) == nil)
    }

    @Test func aTagNameBeyondTheLimitIsForgotten() {
        var gone = GoneEntries()
        for number in 0...UInt64(GoneEntries.namesMax) {
            gone.append(
                .init(
                    hash: KeyHash(number), namespace: room, cover: .tag(number), stamp: stamp(1)))
            gone.name(number) { [UInt8(number)] }
        }
        #expect(gone.floor(over: KeyHash(0), room)?.cover == .tag([]))
        #expect(gone.floor(over: KeyHash(64), room)?.cover == .tag([64]))
    }
}
