import CacheModel
import Testing
import TestSupport

@testable import CacheMemory

/// Namespaces that refuse when they are full: their entries are pinned.
@Suite struct WhenFullTests {
    private static let budget = 400_000
    private let pinned = NamespaceNumber(1)
    private let other = NamespaceNumber(0)

    private static func quota(
        _ most: Int, entriesMax: Int? = nil, _ whenFull: MemoryQuota.WhenFull = .refuse
    ) throws -> MemoryQuota {
        var quota = MemoryQuota(most: try #require(Percent(most)), guaranteed: .none)
        quota.entriesMax = entriesMax
        quota.whenFull = whenFull
        return quota
    }

    private func offer(
        _ key: String, _ namespace: NamespaceNumber, _ byteCount: Int = 100
    ) -> Offer {
        Offer(key: key, namespace: namespace, value: Array(repeating: 1, count: byteCount))
    }

    private func isResident(_ tier: borrowing MemoryTier, _ key: String) -> Bool {
        let hash = tier.hash(key, pinned)
        return withBytes(key) { tier.isResident(hash, namespace: pinned, key: $0) }
    }

    private func usage(_ tier: borrowing MemoryTier) throws -> QuotaUsage {
        try required(tier.entries.quotaUsage.first { $0.namespace == pinned })
    }

    /// Stores until one is refused.
    ///
    /// - Returns: how many there are.
    private func fillUp(_ tier: inout MemoryTier) -> Int {
        for key in 0..<10_000 {
            guard let refusal = tier.refusal(offer("p\(key)", pinned)) else { continue }
            #expect(refusal == .full)
            return key
        }
        Issue.record("it never is full")
        return 0
    }

    @Test(arguments: EvictionPolicyName.allCases)
    func whatDoesNotFitIsRefusedAndNothingLeaves(policy: EvictionPolicyName) throws {
        var tier = MemoryTier.sample(.sample(Self.budget), policy: policy)
        tier.entries.setQuotas([pinned: try Self.quota(20)])
        let count = fillUp(&tier)
        #expect(count > 300)
        #expect(try usage(tier).weight <= Self.budget / 5)
        for key in count..<count + 50 { #expect(tier.refusal(offer("p\(key)", pinned)) == .full) }
        for key in 0..<5_000 { tier.store(offer("k\(key)", other)) }
        for key in 0..<count { #expect(isResident(tier, "p\(key)") == true) }
        let statistics = tier.statistics
        #expect(statistics.refusals[.full] == 51 && statistics.removals[.evicted] ?? 0 > 1_000)
        #expect(try usage(tier).evictions == 0)
        #expect(statistics.residentBytes <= Self.budget)
        tier.entries.checkEverything()
    }

    @Test func aValueIsReplacedUnlessItIsLonger() throws {
        var tier = MemoryTier.sample(.sample(Self.budget))
        tier.entries.setQuotas([pinned: try Self.quota(20)])
        let count = fillUp(&tier)
        for key in 0..<count {
            var same = offer("p\(key)", pinned)
            same.value[0] = 9
            #expect(tier.refusal(same) == nil)
        }
        #expect(tier.refusal(offer("p0", pinned, 1_000)) == .full)
        #expect(tier.seen("p0", in: pinned)?.value.first == 9, "the shorter value stays")
        #expect(tier.refusal(offer("p0", pinned, 10)) == nil)
        #expect(tier.refusal(offer("p0", pinned, 100)) == nil, "what was given up is there")
        #expect(try usage(tier).entryCount == count)
        tier.entries.checkEverything()
    }

    @Test func aNumberOfEntriesIsRefusedBeyondToo() throws {
        var tier = MemoryTier.sample(.sample(Self.budget))
        tier.entries.setQuotas([pinned: try Self.quota(50, entriesMax: 10)])
        let count = fillUp(&tier)
        #expect(count == 10)
        #expect(tier.refusal(offer("p3", pinned, 500)) == nil, "there is memory for it")
        tier.invalidate(.key("p3", pinned), at: stamp(1))
        #expect(tier.refusal(offer("new", pinned)) == nil)
        #expect(tier.refusal(offer("newer", pinned)) == .full)
    }

    @Test func whatHasEndedMakesRoom() throws {
        var tier = MemoryTier.sample(.sample(Self.budget))
        tier.entries.setQuotas([pinned: try Self.quota(50, entriesMax: 3)])
        for key in 0..<3 {
            var offer = offer("p\(key)", pinned)
            if key == 0 { offer.expiresAt = at(10) }
            tier.store(offer)
        }
        #expect(tier.refusal(offer("new", pinned), now: at(5)) == .full)
        #expect(tier.refusal(offer("new", pinned), now: at(1_000)) == nil)
        #expect(tier.statistics.removals[.expired] == 1)
    }

    /// A token or a version that is wrong is told before there is no room.
    @Test func anOlderVersionIsReportedEvenWhenThereIsNoSpace() throws {
        var tier = MemoryTier.sample(.sample(Self.budget))
        tier.entries.setQuotas([pinned: try Self.quota(50, entriesMax: 1)])
        var first = offer("p0", pinned)
        first.version = 5
        tier.store(first)
        first.version = 4
        #expect(tier.refusal(first) == .olderVersion)
    }

    @Test func theNumberOfANodeIsNoReasonToEvictThem() throws {
        var limits = MemoryTierLimits.sample(Self.budget)
        limits.entriesMax = 30
        var tier = MemoryTier.sample(limits)
        tier.entries.setQuotas([pinned: try Self.quota(50)])
        for key in 0..<20 { tier.store(offer("p\(key)", pinned)) }
        for key in 0..<100 { #expect(tier.refusal(offer("k\(key)", other)) == nil) }
        #expect(tier.entryCount == 30)
        for key in 20..<30 { #expect(tier.refusal(offer("p\(key)", pinned)) == nil) }
        #expect(tier.refusal(offer("p30", pinned)) == .full)
        #expect(tier.refusal(offer("k0", other)) == .full, "all that is left is pinned")
        #expect(tier.refusal(offer("p5", pinned)) == nil)
        #expect(try usage(tier).entryCount == 30)
    }

    // MARK: A lowered budget

    @Test(arguments: EvictionPolicyName.allCases)
    func whileMemoryIsShortTheOthersGive(policy: EvictionPolicyName) throws {
        var tier = MemoryTier.sample(.sample(8 << 20), policy: policy)
        let guaranteed = MemoryQuota(
            most: .all, guaranteed: try #require(Percent(50)))
        tier.entries.setQuotas([pinned: try Self.quota(20), other: guaranteed])
        for key in 0..<1_000 { tier.store(offer("p\(key)", pinned, 800)) }
        for key in 0..<5_000 { tier.store(offer("k\(key)", other, 800)) }
        let before = try usage(tier)
        tier.entries.setBudget(2 << 20)
        while tier.entries.isOverBudget {
            tier.entries.shrink(stepLimit: 256, bytesLimit: 1 << 20, now: at(2))
        }
        #expect(try usage(tier) == before)
        #expect(tier.statistics.residentBytes <= 2 << 20)
        #expect(tier.refusal(offer("k0", other, 800)) == nil)
        tier.entries.checkEverything()
    }

    @Test func theShrinkStopsAtWhatIsPinnedAndStoresAreRefused() throws {
        var tier = MemoryTier.sample(.sample(8 << 20))
        tier.entries.setQuotas([pinned: try Self.quota(40)])
        for key in 0..<2_000 { tier.store(offer("p\(key)", pinned, 800)) }
        for key in 0..<2_000 { tier.store(offer("k\(key)", other, 800)) }
        let before = try usage(tier)
        tier.entries.setBudget(1 << 20)
        var slices = 0
        while tier.entries.isOverBudget, slices < 1_000 {
            tier.entries.shrink(stepLimit: 256, bytesLimit: 1 << 20, now: at(2))
            slices += 1
        }
        let isOver = tier.entries.isOverBudget
        #expect(!isOver && slices < 100)
        #expect(try usage(tier) == before && tier.entryCount == 2_000)
        #expect(tier.refusal(offer("k0", other, 800)) == .full)
        #expect(tier.refusal(offer("p9999", pinned, 800)) == .full)
        tier.entries.setBudget(8 << 20)
        #expect(tier.refusal(offer("k0", other, 800)) == nil)
        tier.entries.checkEverything()
    }

    // MARK: Changes

    @Test func aLoweredShareEvictsNothingAndNothingGrows() throws {
        var tier = MemoryTier.sample(.sample(Self.budget))
        tier.entries.setQuotas([pinned: try Self.quota(40)])
        let count = fillUp(&tier)
        tier.entries.setQuotas([pinned: try Self.quota(20, entriesMax: 10)])
        let isDue = tier.hasDueWork
        #expect(!isDue, "or the shard never sleeps")
        tier.entries.settleQuotas(bucketLimit: 1_000)
        #expect(try usage(tier).entryCount == count)
        #expect(tier.refusal(offer("p0", pinned)) == nil)
        for key in 0..<count - 10 {
            #expect(tier.refusal(offer("new", pinned)) == .full)
            tier.invalidate(.key("p\(key)", pinned), at: stamp(1))
        }
        #expect(tier.refusal(offer("new", pinned)) == .full)
        tier.invalidate(.key("p\(count - 1)", pinned), at: stamp(1))
        #expect(tier.refusal(offer("new", pinned)) == nil)
        #expect(try usage(tier).entryCount == 10)
        tier.entries.checkEverything()
    }

    @Test func oneThatEvictsAgainIsBroughtDown() throws {
        var tier = MemoryTier.sample(.sample(Self.budget))
        tier.entries.setQuotas([pinned: try Self.quota(40)])
        _ = fillUp(&tier)
        tier.entries.setQuotas([pinned: try Self.quota(20, entriesMax: 10, .evict)])
        while tier.entries.eviction.hasUnsettledQuotas {
            tier.entries.settleQuotas(bucketLimit: 50)
        }
        #expect(try usage(tier).entryCount == 10)
        #expect(tier.refusal(offer("new", pinned)) == nil)
        #expect(try usage(tier).entryCount == 10)
    }

    /// What it had before is still among the others' when they have to give.
    @Test(arguments: EvictionPolicyName.allCases, [0, 2, 20])
    func entriesArePinnedBeforeTheyAreSortedIn(policy: EvictionPolicyName, slices: Int) throws {
        var tier = MemoryTier.sample(.sample(Self.budget), policy: policy)
        for key in 0..<400 { tier.store(offer("k\(key)", other)) }
        for key in 0..<600 { tier.store(offer("p\(key)", pinned)) }
        let held = (0..<600).filter { isResident(tier, "p\($0)") }
        tier.entries.setQuotas([pinned: try Self.quota(40)])
        for _ in 0..<slices { tier.entries.settleQuotas(bucketLimit: 2) }
        tier.entries.checkEverything()
        for key in 400..<4_000 { #expect(tier.refusal(offer("k\(key)", other)) == nil) }
        for key in held { #expect(isResident(tier, "p\(key)") == true, "\(key)") }
        tier.entries.checkEverything()
        while tier.entries.eviction.hasUnsettledQuotas { tier.entries.settleQuotas(bucketLimit: 7) }
        #expect(try usage(tier).entryCount == held.count)
        tier.entries.checkEverything()
    }

    /// Where part 0 offers only pinned entries, others are behind them, and not in a third part.
    @Test(arguments: EvictionPolicyName.allCases)
    func aThirdNamespaceKeepsItsGuaranteeMeanwhile(policy: EvictionPolicyName) throws {
        let third = NamespaceNumber(2)
        let promise = MemoryQuota(most: .all, guaranteed: try #require(Percent(40)))
        var tier = MemoryTier.sample(.sample(640_000), policy: policy)
        tier.entries.setQuotas([third: promise])
        for key in 0..<200 { tier.store(offer("g\(key)", third)) }
        for key in 0..<2_500 { tier.store(offer("p\(key)", pinned)) }
        for key in 0..<800 { tier.store(offer("k\(key)", other)) }
        let before = try required(tier.entries.quotaUsage.first { $0.namespace == third })
        #expect(before.entryCount == 200)
        tier.entries.setQuotas([third: promise, pinned: try Self.quota(40)])
        for key in 800..<1_600 { #expect(tier.refusal(offer("k\(key)", other)) == nil) }
        #expect(try required(tier.entries.quotaUsage.first { $0.namespace == third }) == before)
        tier.entries.checkEverything()
    }

    @Test func whatIsPinnedNoLongerLeavesInSlices() throws {
        var tier = MemoryTier.sample(.sample(8 << 20))
        tier.entries.setQuotas([pinned: try Self.quota(40)])
        for key in 0..<2_000 { tier.store(offer("p\(key)", pinned, 800)) }
        tier.entries.setBudget(1 << 20)
        for _ in 0..<100 { tier.entries.shrink(stepLimit: 256, bytesLimit: 1 << 20, now: at(2)) }
        let pinnedCount = tier.entryCount
        tier.entries.setQuotas([pinned: try Self.quota(40, .evict)])
        #expect(tier.refusal(offer("k0", other, 800)) == nil)
        let (count, isOver) = (tier.entryCount, tier.entries.isOverBudget)
        #expect(pinnedCount == 2_000 && count > 1_900 && isOver)
        for _ in 0..<100 { tier.entries.shrink(stepLimit: 256, bytesLimit: 1 << 20, now: at(2)) }
        let isStillOver = tier.entries.isOverBudget
        #expect(!isStillOver && tier.statistics.residentBytes <= 1 << 20)
        tier.entries.checkEverything()
    }

    @Test func aBudgetThatIsLoweredMeanwhileTakesNoneOfThem() throws {
        var tier = MemoryTier.sample(.sample(4 << 20))
        for key in 0..<2_000 { tier.store(offer("p\(key)", pinned)) }
        for key in 0..<100 { tier.store(offer("k\(key)", other)) }
        tier.entries.setQuotas([pinned: try Self.quota(40)])
        tier.entries.setBudget(1 << 16)
        var slices = 0
        while tier.entries.isOverBudget, slices < 10_000 {
            tier.entries.shrink(stepLimit: 16, bytesLimit: 1 << 20, now: at(2))
            slices += 1
        }
        let isOver = tier.entries.isOverBudget
        #expect(!isOver && tier.entryCount == 2_000)
        for key in 0..<2_000 { #expect(isResident(tier, "p\(key)") == true) }
        tier.entries.checkEverything()
    }
}
