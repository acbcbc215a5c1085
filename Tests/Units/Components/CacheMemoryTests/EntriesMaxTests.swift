import CacheModel
import Testing
import TestSupport

@testable import CacheMemory

/// Bounds by number: of all entries, and of a namespace's.
@Suite struct EntriesMaxTests {
    private let small = NamespaceNumber(1)
    private let large = NamespaceNumber(0)

    private static func limits(_ bytes: Int = 1 << 20, entriesMax: Int?) -> MemoryTierLimits {
        var limits = MemoryTierLimits.sample(bytes)
        limits.entriesMax = entriesMax
        return limits
    }

    private static func quota(entriesMax: Int) -> MemoryQuota {
        var quota = MemoryQuota.standard
        quota.entriesMax = entriesMax
        return quota
    }

    private func entries(_ tier: borrowing MemoryTier, _ namespace: NamespaceNumber) -> Int? {
        tier.entries.quotaUsage.first { $0.namespace == namespace }?.entryCount
    }

    private func isResident(
        _ tier: borrowing MemoryTier, _ key: String, _ namespace: NamespaceNumber = room
    ) -> Bool {
        let hash = tier.hash(key, namespace)
        return withBytes(key) { tier.isResident(hash, namespace: namespace, key: $0) }
    }

    @Test(arguments: EvictionPolicyName.allCases)
    func aKeyMoreEvictsOneAndAReplacementNone(policy: EvictionPolicyName) {
        var tier = MemoryTier.sample(Self.limits(entriesMax: 50), policy: policy)
        for key in 0..<50 { tier.store(Offer(key: "k\(key)")) }
        #expect(tier.entryCount == 50)
        for key in 0..<50 { tier.store(Offer(key: "k\(key)", value: [4, 5, 6, 7])) }
        #expect(tier.entryCount == 50 && tier.statistics.removals[.evicted] == 0)
        for key in 50..<300 {
            tier.store(Offer(key: "k\(key)"))
            #expect(tier.entryCount == 50 && isResident(tier, "k\(key)"))
        }
        #expect(tier.statistics.removals[.evicted] == 250 && tier.statistics.entriesMax == 50)
        tier.entries.checkEverything()
    }

    @Test(arguments: [1, 2, 7])
    func theLeastBoundsHoldToo(most: Int) {
        var tier = MemoryTier.sample(Self.limits(entriesMax: most), policy: .adaptive)
        for key in 0..<40 {
            tier.store(Offer(key: "k\(key)"))
            #expect(tier.entryCount == min(key + 1, most) && isResident(tier, "k\(key)"))
        }
    }

    @Test(arguments: EvictionPolicyName.allCases)
    func aFullNamespaceEvictsItsOwn(policy: EvictionPolicyName) {
        var tier = MemoryTier.sample(policy: policy)
        tier.entries.setQuotas([small: Self.quota(entriesMax: 20)])
        for key in 0..<100 { tier.store(Offer(key: "k\(key)", namespace: large)) }
        for key in 0..<200 {
            tier.store(Offer(key: "k\(key)", namespace: small))
            #expect(entries(tier, small) == min(key + 1, 20))
        }
        #expect(tier.entryCount == 120 && tier.entries.quotaUsage.first?.evictions == 180)
        for key in 0..<100 { #expect(isResident(tier, "k\(key)", large) == true) }
        tier.entries.checkEverything()
    }

    /// Every store of a tier with both bounds against what its counts say before it.
    @Test(arguments: EvictionPolicyName.allCases, UInt64(1)...4)
    func bothBoundsAreExactWhateverHappens(policy: EvictionPolicyName, seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        var tier = MemoryTier.sample(Self.limits(entriesMax: 40), policy: policy)
        var most = [15, Int.max]
        tier.entries.setQuotas([small: Self.quota(entriesMax: most[0])])
        var (evictingCount, stampNumber) = (0, UInt64(1))
        for _ in 0..<3_000 {
            switch dice.below(20) {
            case 0:
                stampNumber += 1
                tier.invalidate(.key("k\(dice.below(80))", small), at: stamp(stampNumber))
            case 1: _ = tier.seen("k\(dice.below(80))", in: large)
            case 2 where dice.chance(10):
                most[0] = 5 + dice.below(20)
                tier.entries.setQuotas([small: Self.quota(entriesMax: most[0])])
                while tier.entries.eviction.hasUnsettledQuotas {
                    tier.entries.settleQuotas(bucketLimit: 3)
                }
            default:
                let namespace = dice.chance(2) ? small : large
                let key = "k\(dice.below(80))"
                let isNew = !isResident(tier, key, namespace)
                let (all, own) = (tier.entryCount, entries(tier, small) ?? 0)
                let evicted = tier.statistics.removals[.evicted] ?? 0
                tier.store(
                    Offer(
                        key: key, namespace: namespace,
                        value: Array(repeating: 1, count: dice.below(60)),
                        fill: stamp(stampNumber)))
                let isFull = isNew && (all == 40 || namespace == small && own == most[0])
                let now = (tier.statistics.removals[.evicted] ?? 0) - evicted
                #expect(now == (isFull ? 1 : 0), "seed \(seed)")
                #expect(isResident(tier, key, namespace) == true)
                #expect(tier.entryCount <= 40 && entries(tier, small) ?? 0 <= most[0])
                if isNew, !isFull { #expect(tier.entryCount == all + 1) }
                evictingCount += isFull ? 1 : 0
            }
        }
        tier.entries.checkEverything()
        #expect(evictingCount > 300, "else it shows nothing")
    }

    @Test func whatHasExpiredLeavesFirst() {
        var tier = MemoryTier.sample(Self.limits(entriesMax: 20), policy: .lru)
        for key in 0..<20 {
            tier.store(Offer(key: "k\(key)", expiresAt: key < 10 ? nil : at(5)))
        }
        tier.store(Offer(key: "new"), now: at(1_000))
        #expect(tier.statistics.removals[.expired] == 10)
        #expect(tier.statistics.removals[.evicted] == 0 && tier.entryCount == 11)
    }

    @Test func aLoweredNumberIsReachedInSlicesAndNothingGrowsMeanwhile() throws {
        var tier = MemoryTier.sample()
        tier.entries.setQuotas([small: Self.quota(entriesMax: 500)])
        for key in 0..<500 { tier.store(Offer(key: "k\(key)", namespace: small)) }
        tier.entries.setQuotas([small: Self.quota(entriesMax: 100)])
        let isDue = tier.hasDueWork
        #expect(isDue)
        for key in 500..<520 {
            tier.store(Offer(key: "k\(key)", namespace: small))
            #expect(entries(tier, small) == 500)
        }
        var sliceCount = 0
        while tier.entries.eviction.hasUnsettledQuotas {
            tier.entries.settleQuotas(bucketLimit: 50)
            sliceCount += 1
        }
        #expect(entries(tier, small) == 100 && sliceCount > 5)
        tier.store(Offer(key: "new", namespace: small))
        #expect(entries(tier, small) == 100)
        tier.entries.setQuotas([:])
        for key in 0..<300 { tier.store(Offer(key: "k\(key)", namespace: small)) }
        #expect(entries(tier, small) ?? 0 > 300)
        tier.entries.checkEverything()
    }

    /// However far the entries are sorted in that were there before, all of them count.
    @Test(arguments: EvictionPolicyName.allCases, [0, 1, 5, 40])
    func theNumberHoldsWhileEntriesAreSortedIn(policy: EvictionPolicyName, slices: Int) {
        var tier = MemoryTier.sample(policy: policy)
        for key in 0..<600 {
            tier.store(Offer(key: "k\(key)", namespace: small))
            tier.store(Offer(key: "k\(key)", namespace: large))
        }
        tier.entries.setQuotas([small: Self.quota(entriesMax: 300)])
        #expect(entries(tier, small) == 600)
        for _ in 0..<slices { tier.entries.settleQuotas(bucketLimit: 3) }
        for key in 600..<700 {
            let before = entries(tier, small)
            tier.store(Offer(key: "k\(key)", namespace: small))
            #expect(entries(tier, small) == before && isResident(tier, "k\(key)", small))
        }
        for key in 0..<50 { tier.invalidate(.key("k\(key)", small), at: stamp(1)) }
        tier.entries.checkEverything()
        while tier.entries.eviction.hasUnsettledQuotas {
            tier.entries.settleQuotas(bucketLimit: 64)
        }
        #expect(entries(tier, small) == 300)
        for key in 0..<600 { #expect(isResident(tier, "k\(key)", large) == true) }
        tier.entries.checkEverything()
    }

    /// A bound of one, and the only entry lies where the walk comes last.
    @Test func theOnlyEntryIsFoundWhereverItIs() {
        var tier = MemoryTier.sample(policy: .adaptive)
        for key in 0..<2_000 { tier.store(Offer(key: "k\(key)", namespace: large)) }
        tier.store(Offer(key: "one", namespace: small))
        tier.entries.setQuotas([small: Self.quota(entriesMax: 1)])
        tier.store(Offer(key: "two", namespace: small))
        #expect(entries(tier, small) == 1 && isResident(tier, "two", small))
        #expect(tier.statistics.removals[.evicted] == 1 && tier.entryCount == 2_001)
        tier.entries.checkEverything()
    }

    @Test func nothingIsCopiedWhereNothingMayBeEvicted() {
        var tier = MemoryTier.sample(Self.limits(entriesMax: 10))
        for key in 0..<10 { tier.store(Offer(key: "k\(key)")) }
        let (new, known) = (tier.hash("new"), tier.hash("k3"))
        let hasRoom = Offer(key: "new").withCandidate(hash: new) { tier.entries.hasRoom(for: $0) }
        let hasPlace = Offer(key: "k3").withCandidate(hash: known) { tier.entries.hasRoom(for: $0) }
        #expect(!hasRoom && hasPlace)
    }

    /// The memory would hold thousands. A policy that divides that would keep no hot entry.
    @Test(arguments: [EvictionPolicyName.adaptive, .s3fifo, .wtinylfu])
    func hotEntriesSurviveAScanAlsoWhereTheNumberIsTheBound(policy: EvictionPolicyName) {
        var tier = MemoryTier.sample(Self.limits(8 << 20, entriesMax: 200), policy: policy)
        for key in 0..<2_000 { tier.store(Offer(key: "first \(key)")) }
        for round in 0..<20 {
            for key in 0..<60 where tier.seen("hot \(key)") == nil {
                tier.store(Offer(key: "hot \(key)"))
            }
            for key in 0..<40 { tier.store(Offer(key: "scan \(round) \(key)")) }
        }
        let hotCount = (0..<60).count { isResident(tier, "hot \($0)") }
        #expect(hotCount > 45, "\(policy): \(hotCount)")
    }
}
