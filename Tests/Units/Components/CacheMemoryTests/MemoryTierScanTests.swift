import CacheModel
import Testing

@testable import CacheMemory

@Suite struct MemoryTierScanTests {
    @Test func aScanShowsEveryKeyOnce() {
        var tier = MemoryTier.sample()
        #expect(tier.scannedKeys().isEmpty)
        let keys = (0..<3_000).map { "key \($0)" }
        for key in keys { tier.store(Offer(key: key)) }
        #expect(tier.scannedKeys().sorted() == keys.sorted())
        tier.entries.checkEverything()
    }

    @Test func aScanShowsEveryKeyOnceWhileTheIndexGrows() {
        var tier = MemoryTier.sample(.sample(8 << 20))
        let keys = (0..<300).map { "key \($0)" }
        for key in keys { tier.store(Offer(key: key)) }
        let bucketsAtStart = tier.entries.index.bucketCount
        var shown: [String] = []
        var cursor: UInt64? = 0
        var added = 0
        while let position = cursor {
            cursor = tier.scan(from: position, bucketLimit: 3, now: at(1)) { entry, _ in
                shown.append(Seen(entry).key)
            }
            for _ in 0..<100 where added < 20_000 {
                tier.store(Offer(key: "new \(added)"))
                added += 1
            }
        }
        #expect(tier.entries.index.bucketCount >= bucketsAtStart * 8)
        let old = shown.filter { $0.hasPrefix("key") }
        #expect(old.sorted() == keys.sorted())
        #expect(Set(shown).count == shown.count)
    }

    @Test func aScanShowsEveryKeyOnceWhileTheIndexShrinks() {
        var tier = MemoryTier.sample(.sample(8 << 20))
        let keys = (0..<300).map { "key \($0)" }
        for key in keys { tier.store(Offer(key: key)) }
        for number in 0..<20_000 { tier.store(Offer(key: "gone \(number)")) }
        let bucketsAtStart = tier.entries.index.bucketCount
        var shown: [String] = []
        var cursor: UInt64? = 0
        var removed = 0
        while let position = cursor {
            cursor = tier.scan(from: position, bucketLimit: 3, now: at(1)) { entry, _ in
                shown.append(Seen(entry).key)
            }
            for _ in 0..<100 where removed < 20_000 {
                tier.invalidate(.key("gone \(removed)"), at: stamp(1))
                removed += 1
            }
        }
        #expect(tier.entries.index.bucketCount <= bucketsAtStart / 8)
        let kept = shown.filter { $0.hasPrefix("key") }
        #expect(kept.sorted() == keys.sorted())
        #expect(Set(shown).count == shown.count)
        tier.entries.checkEverything()
    }

    @Test func aScanLeavesOutWhatMayNotBeSeen() {
        var tier = MemoryTier.sample()
        tier.store(Offer(key: "a", expiresAt: at(5)))
        tier.store(Offer(key: "b", tags: ["t"]))
        tier.store(Offer(key: "c"))
        tier.invalidate(.tag("t"), at: stamp(1))
        #expect(tier.scannedKeys(now: at(5)) == ["c"])
        #expect(tier.statistics.hits == 0)
    }

    @Test func longChainsAreFoundScannedAndShortenedAgain() {
        // Eight entries and more at home in one bucket: overflow buckets come and go.
        var tier = MemoryTier.sample(.sample(1 << 20))
        var crowd: [String] = []
        var number = 0
        while crowd.count < 30 {
            let key = "key \(number)"
            if tier.entries.index.homeNumber(tier.hash(key)) == 5 { crowd.append(key) }
            number += 1
        }
        for key in crowd { tier.store(Offer(key: key, expiresAt: at(10))) }
        #expect(tier.entries.index.overflowCount == 2)
        for key in crowd { #expect(tier.seen(key) != nil) }
        #expect(tier.scannedKeys().sorted() == crowd.sorted())
        for key in crowd.prefix(15) { #expect(tier.touch(key, expiresAt: nil) == true) }
        #expect(tier.sweepRound(now: at(10)) == 15)
        #expect(tier.entries.index.overflowCount == 1)
        for key in crowd.prefix(15) { #expect(tier.seen(key, now: at(10)) != nil) }
        tier.entries.checkEverything()
    }
}
