import CacheModel
import Testing
import TestSupport

@testable import CacheMemory

/// What the policy's own ageing must do beyond what every policy promises.
@Suite struct AdaptivePolicyTests {
    /// Priorities are kept in eight bits that come round; were they read wrongly, an old entry
    /// would look young and stay.
    @Test(arguments: [20, 3_000])
    func anEntryNeverReadIsEvictedAfterAnyNumberOfAgingRounds(firstBytes: Int) {
        var tier = MemoryTier.sample(.sample(200_000), policy: .adaptive)
        var dice = SeededGenerator(seed: UInt64(firstBytes))
        var stored: [(key: String, step: Int)] = []
        var oldest = 0
        for step in 0..<14_000 {
            let bytes = [firstBytes, 20, 150, 800, 6_000][dice.below(5)]
            let key = "k\(step)"
            tier.store(Offer(key: key, value: Array(repeating: 1, count: bytes)))
            stored.append((key, step))
            guard step % 2_000 == 1_999 else { continue }
            stored = stored.filter { tier.peeked($0.key) != nil }
            oldest = max(oldest, stored.count { step - $0.step > 6_000 })
        }
        #expect(stored.count > 50)
        // The smallest wait longest, some 2 800 stores. One key in eight thousand is taken for one
        // that comes back, and is kept in the main bank.
        #expect(oldest <= 12, "\(oldest) entries were held through 6 000 stores")
        tier.entries.checkEverything()
    }
}
