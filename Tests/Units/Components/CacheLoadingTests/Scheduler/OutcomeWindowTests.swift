import CacheModel
import Testing

@testable import CacheLoading

@Suite struct OutcomeWindowTests {
    static func second(_ number: UInt64) -> Instant {
        Instant(nanoseconds: number * 1_000_000_000)
    }

    @Test func whatIsTenSecondsOldIsForgotten() {
        var window = OutcomeWindow()
        window.add(hasFailed: true, now: Self.second(100))
        window.add(hasFailed: false, now: Self.second(109))
        #expect(window.sum == .init(good: 1, failed: 1))
        window.add(hasFailed: false, now: Self.second(110))
        #expect(window.sum == .init(good: 2, failed: 0))
    }

    @Test(arguments: UInt64(1)...20)
    func itCountsAsAListWould(seed: UInt64) {
        var (window, dice) = (OutcomeWindow(), Jitter(seed: seed))
        var (list, now): ([(second: UInt64, hasFailed: Bool)], UInt64) = ([], seed * 1_000)
        for _ in 0..<500 {
            let roll = dice.upTo(.nanoseconds(99)).wholeNanoseconds
            now += roll < 60 ? 0 : roll < 95 ? roll % 3 : roll % 40
            let hasFailed = roll.isMultiple(of: 2)
            window.add(hasFailed: hasFailed, now: Self.second(now))
            list.append((now, hasFailed))
            list.removeAll { $0.second + 10 <= now }
            let failed = list.count { $0.hasFailed }
            #expect(window.sum == .init(good: list.count - failed, failed: failed))
        }
    }

    @Test func timeThatSeemsToRunBackwardsIsTheSameSecond() {
        var window = OutcomeWindow()
        window.add(hasFailed: true, now: Self.second(100))
        window.add(hasFailed: true, now: Self.second(99))
        #expect(window.sum == .init(good: 0, failed: 2))
    }
}
