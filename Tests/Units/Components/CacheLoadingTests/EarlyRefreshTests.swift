import CacheLoading
import CacheModel
import Testing

/// A value is loaded anew before its end, by one of those who ask for it.
@Suite struct EarlyRefreshTests {
    @Test func theLastShareOfALifetimeIsDueWhateverIsDrawn() {
        let early = EarlyRefresh(share: Percent(10) ?? .none, loadDuration: .zero)
        for draw: UInt64 in [0, 1, .max] {
            #expect(early.isDue(left: .milliseconds(999), of: .seconds(10), draw: draw))
            #expect(!early.isDue(left: .milliseconds(1_001), of: .seconds(10), draw: draw))
        }
    }

    @Test func withoutAShareAndALoadNothingIsDue() {
        let never = EarlyRefresh(share: .none, loadDuration: .zero)
        #expect(!never.isDue(left: .nanoseconds(1), of: .seconds(10), draw: 0))
    }

    /// Of many draws so many are due as the exponential distribution says, to a tenth.
    @Test(arguments: [0.5, 1, 2, 4, 6])
    func theChanceIsTheExponentialOnes(loads: Double) {
        let early = EarlyRefresh(share: .none, loadDuration: .milliseconds(100))
        let left = Duration.milliseconds(Int64(loads * 100))
        var draw: UInt64 = 1
        var dueCount = 0
        for _ in 0..<100_000 {
            draw = draw &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            // The high bits of such a generator are the good ones, and those that count here.
            if early.isDue(left: left, of: .seconds(60), draw: draw) { dueCount += 1 }
        }
        var expected = 100_000.0
        for _ in 0..<Int(loads) { expected /= 2 }
        if loads < 1 { expected = 70_711 }
        #expect(abs(Double(dueCount) - expected) < 0.1 * expected, "\(dueCount) \(expected)")
    }

    /// Whoever looks first whether the end is near misses nothing.
    @Test(arguments: [Duration.zero, .nanoseconds(1), .milliseconds(100), .seconds(60)])
    func whatIsNotNearIsNeverDueByChance(load: Duration) {
        let early = EarlyRefresh(share: .none, loadDuration: load)
        let left = Duration.nanoseconds(Int64(clamping: EarlyRefresh.nearest(load)))
        for draw: UInt64 in [0, 1, 2, .max] {
            #expect(!early.isDue(left: left, of: left, draw: draw))
        }
    }

    @Test(arguments: [1, 10, 33, 50])
    func whatIsNotNearIsNeverInItsLastShare(hundredths: Int) throws {
        let share = try #require(Percent(hundredths))
        let early = EarlyRefresh(share: share, loadDuration: .zero)
        for left: UInt64 in [1, 99, 100, 101, 5_000, 9_999, 123_456_789] {
            for age: UInt64 in [0, 1, 57, 9_900, 300_000, 987_654_321] {
                let isNear = EarlyRefresh.isNear(
                    left: left, age: .nanoseconds(Int64(age)), share: share)
                let isDue = early.isDue(
                    left: .nanoseconds(Int64(left)), of: .nanoseconds(Int64(left + age)), draw: 0)
                #expect(isNear || !isDue, "\(left) \(age)")
            }
        }
    }
}
