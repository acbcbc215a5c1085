import CacheModel
import Testing

@testable import CacheMemory

private let mebibyte = 1 << 20

/// What somebody is told who keeps what memory evicts.
@Suite struct MemoryTierKeeperTests {
    private final class Listener: EvictedEntryKeeper {
        var kept: [Seen] = []
        var hashes: [KeyHash] = []

        func keep(_ entry: EntryView, _ hash: KeyHash, now: Instant) {
            kept.append(Seen(entry, now: now))
            hashes.append(hash)
        }
    }

    @Test(arguments: EvictionPolicyName.allCases)
    func everyEvictionForAStoreIsToldOnceAndWhole(policy: EvictionPolicyName) {
        var tier = MemoryTier.sample(.sample(mebibyte), policy: policy)
        let listener = Listener()
        tier.entries.keeper = listener
        for number in 0..<5_000 {
            var offer = Offer(key: "k\(number)")
            offer.value = [UInt8](repeating: UInt8(number % 251), count: 300)
            offer.tags = ["t\(number % 7)"]
            tier.store(offer)
        }
        let evicted = tier.statistics.removals[.evicted] ?? 0
        #expect(evicted > 1_000 && UInt64(listener.kept.count) == evicted)
        for (seen, hash) in zip(listener.kept, listener.hashes) {
            let number = Int(seen.key.dropFirst()) ?? 0
            #expect(seen.value == [UInt8](repeating: UInt8(number % 251), count: 300))
            #expect(seen.tags == ["t\(number % 7)"])
            let same = Array(seen.key.utf8).withUnsafeBytes { tier.hash(namespace: room, key: $0) }
            #expect(hash == same)
        }
        #expect(Set(listener.kept.map(\.key)).count == listener.kept.count)
    }

    @Test func whatALowerBudgetPushesOutIsTold() {
        var tier = MemoryTier.sample(.sample(8 * mebibyte))
        for number in 0..<5_000 {
            var offer = Offer(key: "k\(number)")
            offer.value = [UInt8](repeating: 1, count: 800)
            tier.store(offer)
        }
        let listener = Listener()
        tier.entries.keeper = listener
        tier.entries.setBudget(mebibyte)
        while tier.entries.isOverBudget {
            tier.entries.shrink(stepLimit: 256, bytesLimit: mebibyte, now: at(2))
        }
        let evicted = tier.statistics.removals[.evicted] ?? 0
        #expect(evicted > 1_000 && UInt64(listener.kept.count) == evicted)
    }

    @Test func whatLeavesForAnotherReasonIsNotTold() {
        var tier = MemoryTier.sample(.sample(8 * mebibyte))
        let listener = Listener()
        tier.entries.keeper = listener
        tier.store(Offer(key: "expired", expiresAt: at(5)))
        tier.store(Offer(key: "tagged", tags: ["x"]))
        tier.store(Offer(key: "replaced"))
        tier.store(Offer(key: "replaced"))
        tier.entries.setBudget(1)
        Array("x".utf8).withUnsafeBytes {
            tier.apply(.tag(room, $0), strength: .hard, at: stamp(9), now: at(6))
        }
        while tier.entries.isOverBudget {
            tier.entries.shrink(stepLimit: 256, bytesLimit: mebibyte, now: at(6))
        }
        #expect(listener.kept.map(\.key) == ["replaced"])
    }
}
