import CacheModel
import Testing

@testable import CacheMemory

@Suite struct QuotaPolicyTests {
    private static let budget = 200_000
    private let small = NamespaceNumber(1)
    private let large = NamespaceNumber(2)

    private func quota(_ most: Int, _ guaranteed: Int = 0) throws -> MemoryQuota {
        MemoryQuota(
            most: try #require(Percent(most)), guaranteed: try #require(Percent(guaranteed)))
    }

    private func filled(
        _ tier: inout MemoryTier, _ namespace: NamespaceNumber, _ keys: Range<Int>
    ) {
        for key in keys {
            tier.store(
                Offer(
                    key: "k\(key)", namespace: namespace, value: Array(repeating: 1, count: 100)))
        }
    }

    private func weight(_ tier: borrowing MemoryTier, _ namespace: NamespaceNumber) -> Int? {
        tier.entries.quotaUsage.first { $0.namespace == namespace }?.weight
    }

    @Test(arguments: EvictionPolicyName.allCases)
    func aNamespaceNeverHasMoreThanItsMost(policy: EvictionPolicyName) throws {
        var tier = MemoryTier.sample(.sample(Self.budget), policy: policy)
        tier.entries.setQuotas([small: try quota(10)])
        for round in 0..<40 {
            filled(&tier, small, round * 50..<round * 50 + 50)
            let used = try required(weight(tier, small))
            #expect(used <= Self.budget / 10)
        }
        let used = try required(weight(tier, small))
        #expect(used > Self.budget / 10 - 400)
        let usage = tier.entries.quotaUsage
        #expect(usage.first?.evictions ?? 0 > 1_000)
        tier.entries.checkEverything()
    }

    @Test(arguments: EvictionPolicyName.allCases)
    func whatIsGuaranteedIsNotTakenByOthers(policy: EvictionPolicyName) throws {
        var tier = MemoryTier.sample(.sample(Self.budget), policy: policy)
        tier.entries.setQuotas([small: try quota(100, 20)])
        filled(&tier, small, 0..<200)
        let before = try required(weight(tier, small))
        #expect(before < Self.budget / 5)
        filled(&tier, large, 0..<10_000)
        let after = try required(weight(tier, small))
        #expect(after == before)
        #expect(tier.statistics.removals[.evicted] ?? 0 > 5_000)
        tier.entries.checkEverything()
    }

    @Test func aNamespaceWithoutAGuaranteeIsEvictedByOthers() throws {
        var tier = MemoryTier.sample(.sample(Self.budget), policy: .lru)
        tier.entries.setQuotas([small: try quota(50)])
        filled(&tier, small, 0..<400)
        filled(&tier, large, 0..<20_000)
        let used = try required(weight(tier, small))
        #expect(used < Self.budget / 50)
    }

    /// Both store as much as the other, so both end with about a half.
    @Test func spaceAboveTheGuaranteesIsSharedEquallyByEqualWriters() throws {
        var tier = MemoryTier.sample(.sample(Self.budget), policy: .fifo)
        tier.entries.setQuotas([small: try quota(100), large: try quota(100)])
        for key in 0..<8_000 {
            filled(&tier, small, key..<key + 1)
            filled(&tier, large, key..<key + 1)
        }
        let (first, second) = (
            try required(weight(tier, small)), try required(weight(tier, large))
        )
        #expect(abs(first - second) < Self.budget / 10)
        #expect(first + second > Self.budget * 8 / 10)
    }

    @Test func anEntryTooLargeForItsNamespacesShareIsRefused() throws {
        var tier = MemoryTier.sample(.sample(Self.budget))
        tier.entries.setQuotas([small: try quota(10)])
        let value = [UInt8](repeating: 1, count: 3_000)
        #expect(tier.refusal(Offer(namespace: small, value: value)) == .tooLarge)
        #expect(tier.refusal(Offer(namespace: large, value: value)) == nil)
    }

    /// However far the walk has come, every entry is where the policy looks for it.
    @Test(arguments: 0..<20)
    func entriesFromBeforeTheQuotaAreBroughtOver(slices: Int) throws {
        var tier = MemoryTier.sample(.sample(Self.budget))
        filled(&tier, small, 0..<400)
        filled(&tier, large, 0..<400)
        let all = tier.entries.residentWeight
        tier.entries.setQuotas([small: try quota(100, 10)])
        for _ in 0..<slices { tier.entries.settleQuotas(bucketLimit: 7) }
        tier.entries.checkEverything()
        filled(&tier, small, 350..<450)
        for key in 0..<50 {
            tier.invalidate(.key("k\(key)", small), at: stamp(1))
        }
        tier.entries.checkEverything()
        while tier.entries.eviction.hasUnsettledQuotas { tier.entries.settleQuotas(bucketLimit: 3) }
        tier.entries.checkEverything()
        let used = try required(weight(tier, small))
        #expect(used == all / 2)
    }

    @Test func aLoweredMostIsReachedInSlices() throws {
        var tier = MemoryTier.sample(.sample(Self.budget))
        tier.entries.setQuotas([small: try quota(80)])
        filled(&tier, small, 0..<900)
        let before = try required(weight(tier, small))
        tier.entries.setQuotas([small: try quota(20)])
        let isDue = tier.hasDueWork
        #expect(isDue)
        filled(&tier, small, 900..<910)
        let between = try required(weight(tier, small))
        #expect(between <= before && between > Self.budget / 5)
        var sliceCount = 0
        while tier.entries.eviction.hasUnsettledQuotas {
            tier.entries.settleQuotas(bucketLimit: 50)
            sliceCount += 1
        }
        let after = try required(weight(tier, small))
        #expect(after <= Self.budget / 5 && after > Self.budget / 5 - 400)
        #expect(sliceCount > 3)
        tier.entries.checkEverything()
    }

    @Test func aQuotaThatIsTakenBackBindsNoMore() throws {
        var tier = MemoryTier.sample(.sample(Self.budget))
        tier.entries.setQuotas([small: try quota(10)])
        filled(&tier, small, 0..<300)
        tier.entries.setQuotas([:])
        filled(&tier, small, 300..<900)
        let used = try required(weight(tier, small))
        #expect(used > Self.budget / 2)
        tier.entries.checkEverything()
    }
}
