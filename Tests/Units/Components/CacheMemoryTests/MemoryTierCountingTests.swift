import CacheModel
import Testing
import TestSupport

@testable import CacheMemory

extension MemoryTier {
    func counted(_ target: TestScope, now: Instant = at(1)) -> ScopeCount? {
        let namespace = target.namespace
        switch target {
        case .key(let key, _, let minimum):
            let hash = hash(key, namespace)
            return withBytes(key) {
                count(
                    .key(
                        namespace, hash: hash, key: $0,
                        minimumVersion: minimum.map { Version($0) }), now: now)
            }
        case .tag(let tag, _): return withBytes(tag) { count(.tag(namespace, $0), now: now) }
        case .prefix(let prefix, _):
            return withBytes(prefix) { count(.prefix(namespace, $0), now: now) }
        case .namespace: return count(.namespace(namespace), now: now)
        case .everything: return count(.everything, now: now)
        case .part(let whole, _): return counted(whole, now: now)
        }
    }
}

@Suite struct MemoryTierCountingTests {
    private static let far = NamespaceNumber(3)

    private func filled() -> MemoryTier {
        var tier = MemoryTier.sample()
        for number in 0..<30 {
            tier.store(
                Offer(
                    key: "k\(number)", namespace: number < 10 ? Self.far : room,
                    tags: number % 2 == 0 ? ["even"] : [], fill: stamp(1)))
        }
        return tier
    }

    @Test func aScopeCountsWhatItCoversAndWhatThatIsCharged() throws {
        var tier = filled()
        #expect(tier.counted(.everything)?.entryCount == 30)
        #expect(tier.counted(.everything)?.bytes == tier.entries.residentWeight)
        #expect(tier.counted(.namespace(Self.far))?.entryCount == 10)
        #expect(tier.counted(.namespace(room))?.entryCount == 20)
        #expect(tier.counted(.namespace(NamespaceNumber(7))) == ScopeCount())
        #expect(tier.counted(.tag("even"))?.entryCount == 10)
        #expect(tier.counted(.tag("even", Self.far))?.entryCount == 5)
        #expect(tier.counted(.tag("none")) == ScopeCount())
        let one = try required(tier.counted(.key("k12")))
        #expect(one.entryCount == 1 && one.isExact)
        #expect(tier.counted(.tag("even"))?.bytes == one.bytes * 10)
        #expect(tier.counted(.key("absent")) == ScopeCount())
        #expect(tier.counted(.prefix("k")) == nil)
        tier.entries.checkEverything()
    }

    @Test func aMinimumVersionSparesWhatIsAsNew() {
        var tier = MemoryTier.sample()
        tier.store(Offer(version: 5, fill: stamp(1)))
        #expect(tier.counted(.key("a", minimumVersion: 5))?.entryCount == 0)
        #expect(tier.counted(.key("a", minimumVersion: 6))?.entryCount == 1)
    }

    @Test func whatAScopeHidesItselfIsNotCountedAndLeavesUncounted() {
        for scope in [TestScope.tag("even"), .namespace(room), .everything] {
            var tier = filled()
            #expect((tier.counted(scope)?.entryCount ?? 0) > 0)
            tier.invalidate(scope, at: stamp(2))
            #expect(tier.counted(scope) == ScopeCount(), "\(scope)")
            tier.store(Offer(key: "new", tags: ["even"], fill: stamp(2)))
            #expect(tier.counted(scope)?.entryCount == 1, "\(scope)")
            tier.sweepRound()
            tier.sweepRound()
            #expect(tier.counted(scope)?.entryCount == 1, "\(scope)")
            #expect(tier.counted(scope)?.isExact == true)
            tier.entries.checkEverything()
        }
    }

    @Test func whatIsHiddenWithEverythingIsNotCountedInItsNamespaceEither() {
        var tier = filled()
        tier.invalidate(.everything, at: stamp(2))
        #expect(tier.counted(.namespace(Self.far)) == ScopeCount())
        #expect(tier.counted(.namespace(room)) == ScopeCount())
        tier.invalidate(.namespace(NamespaceNumber(9)), at: stamp(3))
        tier.store(Offer(key: "new", namespace: NamespaceNumber(8), fill: stamp(3)))
        #expect(tier.counted(.everything)?.entryCount == 1)
        #expect(tier.counted(.namespace(NamespaceNumber(8)))?.entryCount == 1)
        tier.entries.checkEverything()
    }

    @Test func aSoftInvalidationHidesNothing() {
        var tier = filled()
        tier.invalidate(.tag("even"), .soft, at: stamp(2))
        #expect(tier.counted(.tag("even"))?.entryCount == 10)
        #expect(tier.counted(.tag("even"))?.isExact == true)
    }

    @Test func entriesBelowATagFloorStayCountedUntilTheyAreSwept() {
        var tier = MemoryTier.sample()
        tier.store(Offer(key: "old", tags: ["t"], fill: stamp(1)))
        tier.store(Offer(key: "new", tags: ["t"], fill: stamp(9)))
        tier.invalidate(.tag("t"), at: stamp(5))
        #expect(tier.counted(.tag("t"))?.entryCount == 2)
        #expect(tier.counted(.tag("t"))?.isExact == false)
        tier.sweepRound()
        tier.sweepRound()
        #expect(tier.counted(.tag("t"))?.entryCount == 1)
        tier.entries.checkEverything()
    }

    @Test func everyWayOutIsCounted() {
        var tier = filled()
        tier.invalidate(.key("k12"), at: stamp(2))
        tier.store(Offer(key: "k14", value: [UInt8](repeating: 1, count: 900), fill: stamp(2)))
        tier.store(Offer(key: "k16", tags: ["even"], expiresAt: at(5), fill: stamp(2)))
        #expect(tier.counted(.tag("even"))?.entryCount == 8)
        _ = tier.entries.expire(slotLimit: 1_000, now: at(1_000))
        #expect(tier.counted(.tag("even"), now: at(1_000))?.entryCount == 7)
        #expect(tier.counted(.everything)?.entryCount == tier.entryCount)
        #expect(tier.counted(.everything)?.bytes == tier.entries.residentWeight)
        tier.entries.checkEverything()
    }

    @Test func movingAndShrinkingKeepTheSums() {
        var tier = MemoryTier.sample(.sample(2 << 20))
        var dice = SeededGenerator(seed: 5)
        for number in 0..<6_000 {
            tier.store(
                Offer(
                    key: "k\(number)", value: [UInt8](repeating: 7, count: dice.below(400)),
                    tags: ["t\(number % 5)"], fill: stamp(1)))
        }
        for number in 0..<3_000 { tier.invalidate(.key("k\(2 * number)"), at: stamp(2)) }
        #expect(tier.entries.closeHoles(limit: 2_000) > 0)
        tier.entries.checkEverything()
        tier.entries.setBudget(256 << 10)
        while tier.entries.isOverBudget {
            tier.entries.shrink(stepLimit: 100, bytesLimit: 64 << 10, now: at(1))
        }
        tier.entries.checkEverything()
        let byTag = (0..<5).compactMap { tier.counted(.tag("t\($0)"))?.entryCount }
        #expect(byTag.reduce(0, +) == tier.entryCount && tier.entryCount > 0)
    }

    @Test func tagsThatShareTheirFloorsAreCountedTogetherAndItIsSaid() {
        var limits = MemoryTierLimits.sample()
        limits.tagsMax = 0
        var tier = MemoryTier.sample(limits)
        tier.store(Offer(key: "a", tags: ["t"], fill: stamp(1)))
        #expect(tier.counted(.tag("t"))?.entryCount == 1)
        #expect(tier.counted(.tag("t"))?.isExact == false)
        tier.invalidate(.tag("t"), at: stamp(2))
        #expect(tier.counted(.tag("t")) == ScopeCount())
        tier.entries.checkEverything()
    }

    @Test func aRenewedEntryIsCountedOnce() {
        var tier = MemoryTier.sample()
        tier.store(Offer(validator: "e", tags: ["t"], fill: stamp(1)))
        tier.invalidate(.tag("t"), .soft, at: stamp(3))
        #expect(tier.renewal(Offer(validator: "e", fill: stamp(4), isFenced: true)) == nil)
        #expect(tier.counted(.tag("t"))?.entryCount == 1)
        // It is newer than this floor now, and stays.
        tier.invalidate(.tag("t"), at: stamp(4))
        #expect(tier.counted(.tag("t"))?.entryCount == 1)
        #expect(tier.seen("a") != nil)
        tier.entries.checkEverything()
    }

    @Test func whatAnAmnestyShowsIsAsNewAsTheQuarantine() {
        var tier = MemoryTier.sample()
        tier.store(Offer(validator: "e", tags: ["t"], fill: stamp(5)))
        tier.quarantineEverything(at: stamp(1, epoch: 1), isPending: true)
        tier.settleQuarantine(
            Amnesty(TouchedScopes(), namespaces: [.default], guards: .all))
        #expect(tier.seen("a") != nil)
        tier.invalidate(.tag("t"), at: stamp(1, epoch: 1))
        #expect(tier.counted(.tag("t"))?.entryCount == 1)
        tier.invalidate(.tag("t"), at: stamp(2, epoch: 1))
        #expect(tier.counted(.tag("t")) == ScopeCount())
        tier.sweepRound()
        tier.sweepRound()
        tier.entries.checkEverything()
    }
}
