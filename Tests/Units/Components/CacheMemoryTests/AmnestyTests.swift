import ByteCoding
import CacheModel
import Testing

@testable import CacheMemory

/// What a quarantine gives back once somebody has told what was touched meanwhile.
@Suite struct AmnestyTests {
    private static let other = Namespace("other") ?? .default
    private static let rooms = [Namespace.default, other]

    private static func buckets(_ namespace: Namespace) -> FloorBuckets {
        Array(namespace.name.utf8).withUnsafeBytes { FloorBuckets(namespace: $0) }
    }

    private static func touched(
        keys: [String] = [], tags: [String] = [], in namespace: Namespace = .default
    ) -> TouchedScopes {
        var touched = TouchedScopes()
        for key in keys {
            touched.insert(bucket: withBytes(key) { buckets(namespace).bucket(ofKey: $0) })
        }
        for tag in tags {
            touched.insert(bucket: withBytes(tag) { buckets(namespace).bucket(ofTag: $0) })
        }
        return touched
    }

    /// Filled in the life before, which was left at epoch 1; the new one goes on at (2, 100).
    private static func pending(_ offers: Offer...) -> MemoryTier {
        var tier = MemoryTier.sample()
        for offer in offers { tier.store(offer) }
        tier.quarantineEverything(at: stamp(100, epoch: 2), isPending: true)
        return tier
    }

    private static func offer(
        _ key: String, tags: [String] = [], fill: FillStamp = stamp(10, epoch: 1)
    ) -> Offer {
        Offer(key: key, tags: tags, fill: fill)
    }

    private static func settle(_ tier: inout MemoryTier, _ touched: TouchedScopes?) {
        tier.settleQuarantine(touched.map { Amnesty($0, namespaces: rooms) })
    }

    @Test func pendingEntriesAreHiddenAndKeptUntilTouchedScopesAreKnown() {
        var tier = Self.pending(Self.offer("a"))
        #expect(tier.seen("a") == nil)
        for tick in 1..<9 as Range<UInt64> {
            tier.sweepRound(now: at(tick).advanced(by: .seconds(Int64(tick) * 61)))
        }
        #expect(tier.entryCount == 1, "no sweep takes what may be shown again")
        Self.settle(&tier, TouchedScopes())
        #expect(tier.seen("a")?.fill == stamp(100, epoch: 2))
    }

    /// Somebody tells what was touched since the life was left; of what a record in it said that
    /// nobody could read, they tell nothing.
    @Test func whatWasDoubtfulBeforeTheLifeWasLeftIsNotSpared() {
        var tier = MemoryTier.sample()
        tier.store(Self.offer("old", fill: stamp(10, epoch: 1)))
        tier.quarantineEverything(at: stamp(20, epoch: 1))
        tier.store(Self.offer("new", fill: stamp(20, epoch: 1)))
        tier.quarantineEverything(at: stamp(100, epoch: 2), isPending: true)
        Self.settle(&tier, TouchedScopes())
        #expect(tier.seen("old") == nil && tier.seen("new") != nil)
    }

    @Test func whileAnAmnestyIsPendingAnotherDoubtEndsIt() {
        var tier = Self.pending(Self.offer("a"))
        tier.quarantineEverything(at: stamp(101, epoch: 2))
        Self.settle(&tier, TouchedScopes())
        #expect(tier.seen("a") == nil)
    }

    @Test func whatWasTouchedStaysHidden() {
        var tier = Self.pending(
            Self.offer("a"), Self.offer("b"), Self.offer("c", tags: ["t"]),
            Self.offer("d", tags: ["u"]))
        Self.settle(&tier, Self.touched(keys: ["b"], tags: ["t"]))
        #expect(tier.seen("a") != nil && tier.seen("d") != nil)
        #expect(tier.seen("b") == nil && tier.seen("c") == nil)
        #expect(tier.statistics.removals[.forgotten] == 2)
        tier.entries.checkEverything()
    }

    @Test func aTagIsNoKeyAndANamespaceNoOther() {
        var elsewhere = Self.offer("a")
        elsewhere.namespace = NamespaceNumber(1)
        var tier = Self.pending(Self.offer("t"), elsewhere)
        var touched = Self.touched(tags: ["t"])
        touched.insert(bucket: withBytes("a") { Self.buckets(.default).bucket(ofKey: $0) })
        Self.settle(&tier, touched)
        #expect(tier.seen("t") != nil)
        #expect(tier.seen("a", in: NamespaceNumber(1)) != nil)
    }

    @Test func namespacesPrefixesAndEverythingAreHeldAgainst() {
        var everything = TouchedScopes()
        everything.insertEverything()
        var namespace = TouchedScopes()
        namespace.insert(.default)
        var prefix = TouchedScopes()
        prefix.insert(prefix: Array("news/".utf8), in: .default)
        for (touched, others) in [(everything, 0), (namespace, 1), (prefix, 2)] {
            var elsewhere = Self.offer("news/1")
            elsewhere.namespace = NamespaceNumber(1)
            var tier = Self.pending(Self.offer("news/1"), Self.offer("new"), elsewhere)
            Self.settle(&tier, touched)
            #expect(tier.seen("news/1") == nil)
            let seen = [tier.seen("new"), tier.seen("news/1", in: NamespaceNumber(1))]
            #expect(seen.count { $0 != nil } == others)
        }
    }

    @Test func withoutTouchedScopesOnlyRevalidatableEntriesAreKept() {
        var known = Self.offer("a")
        known.validator = "e1"
        var tier = Self.pending(known, Self.offer("b"))
        #expect(tier.seen("b") == nil && tier.entryCount == 2)
        Self.settle(&tier, nil)
        #expect(tier.seen("a") == nil && tier.seen("b") == nil)
        #expect(tier.entryCount == 1 && tier.renewable("a") == "e1")
    }

    @Test func invalidationsThatCameMeanwhileAreObeyed() {
        var tier = Self.pending(
            Self.offer("a", tags: ["t"]), Self.offer("b", tags: ["u"]), Self.offer("c"))
        tier.invalidate(.tag("t"), at: stamp(101, epoch: 2))
        tier.invalidate(.tag("u"), .soft, at: stamp(102, epoch: 2))
        tier.invalidate(.key("c"), at: stamp(103, epoch: 2))
        // Its floors may be long retired when it is met.
        for round in 1..<5 as Range<Int64> {
            tier.sweepRound(now: at(1).advanced(by: .seconds(round * 61)))
        }
        Self.settle(&tier, TouchedScopes())
        #expect(tier.seen("a") == nil && tier.seen("c") == nil)
        #expect(tier.seen("b")?.isSoft == true)
    }

    @Test func whatWasAlreadyHiddenIsNotSpared() {
        var known = Self.offer("a", fill: stamp(5, epoch: 1))
        known.validator = "e1"
        var tier = MemoryTier.sample()
        tier.store(known)
        tier.quarantineEverything(at: stamp(50, epoch: 2))
        tier.store(Self.offer("b", fill: stamp(60, epoch: 2)))
        // "a" was never met in between; only the history that was left last is told of.
        tier.quarantineEverything(at: stamp(100, epoch: 3), isPending: true)
        Self.settle(&tier, TouchedScopes())
        #expect(tier.seen("a") == nil && tier.renewable("a") == "e1")
        #expect(tier.seen("b") != nil)
    }

    @Test func anotherQuarantineEndsTheAmnesty() {
        var tier = Self.pending(Self.offer("a"), Self.offer("b"))
        Self.settle(&tier, TouchedScopes())
        #expect(tier.seen("a") != nil)
        tier.quarantineEverything(at: stamp(200, epoch: 3), isPending: true)
        Self.settle(&tier, TouchedScopes())
        #expect(tier.seen("a") != nil, "it was filled in the life that was left last")
        #expect(tier.seen("b") == nil, "it was not met in time")
    }

    @Test func unrequestedTouchedScopesChangeNothing() {
        var tier = MemoryTier.sample()
        tier.store(Self.offer("a"))
        tier.quarantineEverything(at: stamp(100, epoch: 2))
        Self.settle(&tier, TouchedScopes())
        #expect(tier.seen("a") == nil)
    }

    /// A tag that shares its floor has no name to be looked up by.
    @Test func aTagWithoutANameOfItsOwnCountsAsTouched() {
        var limits = MemoryTierLimits.sample()
        limits.tagsMax = 1
        var tier = MemoryTier.sample(limits)
        tier.store(Self.offer("a", tags: ["t"]))
        tier.store(Self.offer("b", tags: ["u"]))
        tier.quarantineEverything(at: stamp(100, epoch: 2), isPending: true)
        Self.settle(&tier, TouchedScopes())
        #expect(tier.seen("a") != nil && tier.seen("b") == nil)
    }
}
