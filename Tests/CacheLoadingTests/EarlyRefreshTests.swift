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
}
