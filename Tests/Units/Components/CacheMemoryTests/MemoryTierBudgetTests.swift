import CacheModel
import Testing

@testable import CacheMemory

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

private let mebibyte = 1 << 20

/// One after the other: one of them looks at the memory of the whole process.
@Suite(.serialized) struct MemoryTierBudgetTests {
    @Test(arguments: EvictionPolicyName.allCases)
    func aLowerBudgetIsReachedBySlices(policy: EvictionPolicyName) {
        var tier = MemoryTier.sample(.sample(8 * mebibyte), policy: policy)
        fill(&tier, count: 10_000, valueBytes: 800)
        let before = tier.entryCount
        tier.entries.setBudget(2 * mebibyte)
        #expect(tier.entries.isOverBudget && tier.entryCount == before)
        var slices = 0
        while tier.entries.isOverBudget {
            let entriesBefore = tier.entryCount
            tier.entries.shrink(stepLimit: 256, bytesLimit: mebibyte, now: at(2))
            #expect(entriesBefore - tier.entryCount <= 256)
            slices += 1
            guard slices < 10_000 else { break }
        }
        tier.entries.checkEverything()
        let statistics = tier.statistics
        #expect(slices > 10 && statistics.residentBytes <= 2 * mebibyte)
        #expect(statistics.residentBytes > 3 * mebibyte / 2, "no more than had to went")
        #expect(statistics.budgetBytes == 2 * mebibyte)
        #expect((statistics.removals[.evicted] ?? 0) >= UInt64(before - tier.entryCount))
    }

    @Test func oneSliceGivesBackAboutSoManyBytes() {
        var tier = MemoryTier.sample(.sample(64 * mebibyte))
        for number in 0..<500 {
            var offer = Offer(key: "k\(number)")
            offer.value = [UInt8](repeating: 1, count: 100_000)
            tier.store(offer)
        }
        let before = tier.entries.residentBytes
        tier.entries.setBudget(8 * mebibyte)
        tier.entries.shrink(stepLimit: 10_000, bytesLimit: mebibyte, now: at(2))
        #expect((mebibyte...2 * mebibyte).contains(before - tier.entries.residentBytes))
    }

    @Test func aStoreMeanwhileDoesNotMakeAllTheRoom() {
        var tier = MemoryTier.sample(.sample(8 * mebibyte))
        fill(&tier, count: 10_000, valueBytes: 800)
        tier.entries.setBudget(mebibyte)
        tier.entries.shrink(stepLimit: 16, bytesLimit: mebibyte, now: at(2))
        let before = tier.entryCount
        fill(&tier, count: 1, valueBytes: 800, from: 10_000)
        let isThere = tier.seen("k10000") != nil
        // Down to the goal it would be eight thousand; some make room for the ghosts.
        #expect(isThere && before - tier.entryCount < 100)
    }

    @Test func storesInBetweenDoNotHoldItUp() {
        var tier = MemoryTier.sample(.sample(8 * mebibyte))
        fill(&tier, count: 10_000, valueBytes: 800)
        tier.entries.setBudget(mebibyte)
        var slices = 0
        while tier.entries.isOverBudget, slices < 1_000 {
            tier.entries.shrink(stepLimit: 256, bytesLimit: mebibyte, now: at(2))
            fill(&tier, count: 100, valueBytes: 800, from: 10_000 + slices * 100)
            slices += 1
        }
        #expect(
            !tier.entries.isOverBudget && tier.entries.residentBytes <= mebibyte, "\(slices) slices"
        )
    }

    @Test func aBudgetThatIsNotYetTakenHoldsAtOnce() {
        var tier = MemoryTier.sample(.sample(8 * mebibyte))
        fill(&tier, count: 1_000, valueBytes: 800)
        tier.entries.setBudget(2 * mebibyte)
        #expect(!tier.entries.isOverBudget && tier.entryCount == 1_000)
        fill(&tier, count: 10_000, valueBytes: 800, from: 1_000)
        #expect(tier.entries.residentBytes <= 2 * mebibyte)
    }

    @Test func aHigherBudgetHoldsAtOnceAlsoInTheMidstOfShrinking() {
        var tier = MemoryTier.sample(.sample(8 * mebibyte))
        fill(&tier, count: 10_000, valueBytes: 800)
        let before = tier.entryCount
        tier.entries.setBudget(mebibyte)
        tier.entries.shrink(stepLimit: 1_000, bytesLimit: mebibyte, now: at(2))
        tier.entries.setBudget(8 * mebibyte)
        let isOver = tier.entries.isOverBudget
        #expect(!isOver)
        fill(&tier, count: 10_000, valueBytes: 800, from: 10_000)
        #expect(tier.entryCount > before * 95 / 100)
        #expect(tier.entries.residentBytes <= 8 * mebibyte)
    }

    @Test func whatIsOverAnywayLeavesWithItsOwnCause() {
        var tier = MemoryTier.sample(.sample(4 * mebibyte))
        for number in 0..<5_000 {
            var offer = Offer(key: "k\(number)")
            offer.value = [UInt8](repeating: 1, count: 400)
            offer.expiresAt = at(10)
            tier.store(offer)
        }
        tier.entries.setBudget(mebibyte)
        while tier.entries.isOverBudget {
            tier.entries.shrink(stepLimit: 256, bytesLimit: mebibyte, now: at(20))
        }
        let removals = tier.statistics.removals
        #expect((removals[.expired] ?? 0) > 1_000 && removals[.evicted] == 0)
    }

    @Test func aTierWithNothingLeftToEvictIsDone() {
        var tier = MemoryTier.sample(.sample(4 * mebibyte))
        fill(&tier, count: 1_000, valueBytes: 800)
        tier.entries.setBudget(1)
        for _ in 0..<100 where tier.entries.isOverBudget {
            tier.entries.shrink(stepLimit: 256, bytesLimit: mebibyte, now: at(2))
        }
        #expect(!tier.entries.isOverBudget && tier.entryCount == 0)
    }

    #if os(Linux)
        /// Of the process, in bytes.
        private var residentSetBytes: Int {
            guard let file = fopen("/proc/self/statm", "r") else { return 0 }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 256)
            guard fgets(&line, 256, file) != nil else { return 0 }
            let text = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let words = text.split(separator: " ")
            return (Int(words[1]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
        }

        @Test func theProcessGivesTheMemoryBack() {
            for (valueBytes, count) in [(4_000, 40_000), (30_000, 6_000), (300_000, 600)] {
                var tier = MemoryTier.sample(.sample(160 * mebibyte), policy: .adaptive)
                fill(&tier, count: count, valueBytes: valueBytes)
                let full = residentSetBytes
                let charged = tier.entries.residentBytes
                tier.entries.setBudget(32 * mebibyte)
                while tier.entries.isOverBudget {
                    tier.entries.shrink(stepLimit: 1_024, bytesLimit: 8 * mebibyte, now: at(2))
                }
                let given = full - residentSetBytes
                let told = charged - tier.entries.residentBytes
                // Other tests run in this process meanwhile; they take a few MiB.
                #expect(told > 100 * mebibyte && given > told * 3 / 4, "\(given >> 20) MiB")
            }
        }
    #endif
}

private func fill(
    _ tier: inout MemoryTier, count: Int, valueBytes: Int, from first: Int = 0
) {
    var offer = Offer()
    offer.value = [UInt8](repeating: 7, count: valueBytes)
    for number in first..<first + count {
        offer.key = "k\(number)"
        tier.store(offer)
    }
}
