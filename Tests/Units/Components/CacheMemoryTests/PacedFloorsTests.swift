import CacheModel
import Testing

@testable import CacheMemory

@Suite struct PacedFloorsTests {
    private static let keys = (0..<256).map { "key\($0)" }

    private static func filled(_ limits: MemoryTierLimits = .sample()) -> MemoryTier {
        var tier = MemoryTier.sample(limits)
        for key in keys { tier.store(Offer(key: key, tags: ["t"], fill: stamp(1))) }
        return tier
    }

    private static func visibleCount(_ tier: inout MemoryTier) -> Int {
        var count = 0
        for key in keys where tier.seen(key) != nil { count += 1 }
        return count
    }

    /// One of `count` equal parts of the space.
    private static func slice(_ number: Int, of count: Int) -> ClosedRange<UInt64> {
        let width = UInt64.max / UInt64(count)
        let lower = UInt64(number) * (width + 1)
        return lower...(lower + width)
    }

    @Test(arguments: [
        TestScope.everything, .namespace(room), .prefix("key"), .tag("t"),
    ])
    func slicesHideEachKeyAtItsTurn(scope: TestScope) {
        var tier = Self.filled()
        tier.store(Offer(key: "other", namespace: NamespaceNumber(1), fill: stamp(1)))
        for number in 0..<16 {
            let range = Self.slice(number, of: 16)
            tier.invalidate(.part(scope, range), at: stamp(UInt64(number) + 2))
            for key in Self.keys {
                let isHidden = TestScope.route(key) <= range.upperBound
                let seen = tier.peeked(key)
                #expect((seen == nil) == isHidden, "\(key) after slice \(number)")
            }
        }
        let isSpared = tier.seen("other", in: NamespaceNumber(1)) != nil
        #expect(isSpared == (scope != .everything))
        tier.entries.checkEverything()
    }

    @Test func whatIsFilledAgainBehindTheSlicesStays() {
        var tier = Self.filled()
        for number in 0..<4 {
            let position = UInt64(number) + 2
            tier.invalidate(.part(.everything, Self.slice(number, of: 4)), at: stamp(position))
            for key in Self.keys where tier.seen(key) == nil {
                tier.store(Offer(key: key, fill: stamp(position), isFenced: true))
            }
        }
        let count = Self.visibleCount(&tier)
        #expect(count == Self.keys.count)
        #expect(tier.statistics.removals[.invalidated] == UInt64(Self.keys.count))
    }

    @Test func aTokenFromBeforeItsSliceIsRefused() {
        var tier = Self.filled()
        let range = Self.slice(0, of: 2)
        tier.invalidate(.part(.tag("t"), range), at: stamp(5))
        for key in Self.keys {
            let late = Offer(key: key, tags: ["t"], fill: stamp(4), isFenced: true)
            let other = Offer(key: key, tags: ["u"], fill: stamp(4), isFenced: true)
            let isCovered = range.contains(TestScope.route(key))
            let refusal = tier.refusal(late)
            #expect(refusal == (isCovered ? .invalidatedMeanwhile : nil), "\(key)")
            let spared = tier.refusal(other)
            #expect(spared == nil, "\(key)")
        }
    }

    @Test func aNamespaceThatWasNotNamedIsHiddenWhole() {
        var tier = MemoryTier(limits: .sample(), policy: .s3fifo, hashSeed: 1)
        tier.store(Offer(key: "a", fill: stamp(1)))
        let elsewhere = TestScope.route("a") &+ 1
        tier.invalidate(.part(.everything, elsewhere...elsewhere), at: stamp(2))
        #expect(tier.seen("a") == nil)
    }

    @Test func withoutRoomForAnotherScopeOrRangeTheWholeScopeRises() {
        var limits = MemoryTierLimits.sample()
        limits.pacedScopesMax = 1
        limits.pacedRangesMax = 2
        var tier = Self.filled(limits)
        tier.invalidate(.part(.tag("t"), 0...0), at: stamp(2))
        tier.invalidate(.part(.tag("t"), 2...2), at: stamp(3))
        let before = Self.visibleCount(&tier)
        #expect(before == Self.keys.count)
        tier.invalidate(.part(.tag("t"), 4...4), at: stamp(4))
        let after = Self.visibleCount(&tier)
        #expect(after == 0)
        tier.store(Offer(key: "b", fill: stamp(4)))
        tier.invalidate(.part(.prefix("c"), 0...0), at: stamp(5))
        #expect(tier.seen("b") != nil, "another scope rose, and covers it not")
        tier.invalidate(.part(.prefix("b"), 0...0), at: stamp(6))
        #expect(tier.seen("b") == nil)
    }

    @Test func aSweepForgetsPacedFloorsAndRaisesTheTokenBase() {
        var limits = MemoryTierLimits.sample()
        limits.floorAgeMin = .zero
        var tier = Self.filled(limits)
        tier.invalidate(.part(.everything, Self.slice(0, of: 2)), at: stamp(7))
        tier.sweepRound()
        let scopeCount = tier.entries.floors.paced.scopeCount
        #expect(scopeCount == 0)
        #expect(tier.statistics.tokenBase == stamp(7))
        let refusal = tier.refusal(Offer(key: "z", fill: stamp(6), isFenced: true))
        #expect(refusal == .tokenTooOld)
    }

    @Test func softSlicesMakeStale() {
        var tier = Self.filled()
        let range = Self.slice(1, of: 2)
        tier.invalidate(.part(.everything, range), .soft, at: stamp(2))
        for key in Self.keys {
            let seen = tier.seen(key)
            #expect(seen?.isSoft == range.contains(TestScope.route(key)), "\(key)")
        }
    }

    @Test func aTokenFromBeforeATagsSliceRenewsNothing() {
        var tier = MemoryTier.sample()
        tier.store(Offer(key: "a", validator: "e", tags: ["t"], fill: stamp(1)))
        let hash = TestScope.route("a")
        tier.invalidate(.part(.tag("t"), hash...hash), .soft, at: stamp(5))
        let offer = Offer(key: "a", value: [], validator: "e", fill: stamp(4), isFenced: true)
        let refusal = tier.renewal(offer)
        #expect(refusal == .invalidatedMeanwhile)
        var fresh = offer
        fresh.fill = stamp(5)
        let renewal = tier.renewal(fresh)
        #expect(renewal == nil)
    }
}
