import CacheClientCore
import CacheModel
import Testing

/// When the next key is asked for, where nobody waits for the values.
@Suite struct PrefetchPaceTests {
    private static let start = Instant(nanoseconds: 1_000_000_000_000)

    private func at(_ milliseconds: Int64) -> Instant {
        Self.start.advanced(by: .milliseconds(milliseconds))
    }

    /// How many are asked for at that moment.
    private func ask(_ pace: inout PrefetchPace, at milliseconds: Int64) -> Int {
        var count = 0
        while pace.next(now: at(milliseconds)) == .ask { count += 1 }
        return count
    }

    @Test func withoutARateTheWindowIsTheOnlyBound() {
        var pace = PrefetchPace(perSecond: nil, inFlightMax: 3, now: at(0))
        #expect(ask(&pace, at: 0) == 3)
        #expect(pace.next(now: at(0)) == .full && pace.inFlight == 3)
        pace.endedWell()
        #expect(ask(&pace, at: 0) == 1)
    }

    @Test func aRateSpreadsKeysEvenly() {
        var pace = PrefetchPace(perSecond: 10, inFlightMax: 100, now: at(0))
        #expect(pace.next(now: at(0)) == .ask)
        #expect(pace.next(now: at(0)) == .rest(until: at(100)))
        #expect(pace.next(now: at(99)) == .rest(until: at(100)))
        #expect(pace.next(now: at(100)) == .ask)
        #expect(pace.next(now: at(105)) == .rest(until: at(200)), "late by little keeps the rate")
    }

    @Test(arguments: [1, 7, 100, 1_000, 999_999])
    func overASecondNoMoreAreAskedForThanTheRate(rate: Int) {
        var pace = PrefetchPace(perSecond: rate, inFlightMax: 64, now: at(0))
        var count = 0
        for millisecond in 0..<1_000 {
            let asked = ask(&pace, at: Int64(millisecond))
            for _ in 0..<asked { pace.endedWell() }
            count += asked
        }
        #expect(count <= rate + 1)
        #expect(rate > 1_000 || count >= rate)
    }

    /// What could not be asked for while the window was full does not follow in a burst.
    @Test func aStandstillIsNotMadeUpFor() {
        var pace = PrefetchPace(perSecond: 100, inFlightMax: 50, now: at(0))
        #expect(pace.next(now: at(0)) == .ask)
        #expect(ask(&pace, at: 10_000) <= 9)
    }

    @Test func aPrefetchPausesAsLongAsRetryAfterSays() {
        var pace = PrefetchPace(perSecond: nil, inFlightMax: 8, now: at(0))
        #expect(ask(&pace, at: 0) == 8)
        pace.pushedBack(retryAfter: .milliseconds(700), now: at(10))
        #expect(pace.window == 4)
        #expect(pace.rest(now: at(10)) == .milliseconds(700))
        for _ in 0..<7 { pace.endedWell() }
        #expect(pace.next(now: at(709)) == .rest(until: at(710)))
        #expect(pace.next(now: at(710)) == .ask)
    }

    /// Eight that were sent away together say the same thing once.
    @Test func thoseThatAreSentAwayTogetherCountOnce() {
        var pace = PrefetchPace(perSecond: nil, inFlightMax: 8, now: at(0))
        #expect(ask(&pace, at: 0) == 8)
        for _ in 0..<8 { pace.pushedBack(retryAfter: .milliseconds(700), now: at(10)) }
        #expect(pace.window == 4 && pace.inFlight == 0)
        #expect(pace.rest(now: at(10)) == .milliseconds(700))
    }

    @Test func whereNothingIsSaidRestsGrowAndEnd() {
        var pace = PrefetchPace(perSecond: nil, inFlightMax: 1, now: at(0))
        var now = Self.start
        var rests: [Duration] = []
        for _ in 0..<8 {
            #expect(pace.next(now: now) == .ask)
            pace.pushedBack(retryAfter: nil, now: now)
            rests.append(pace.rest(now: now))
            now = now.advanced(by: pace.rest(now: now))
        }
        #expect(
            rests.map(\.wholeMilliseconds) == [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000])
        #expect(pace.next(now: now) == .ask)
        pace.endedWell()
        #expect(pace.next(now: now) == .ask)
        pace.pushedBack(retryAfter: nil, now: now)
        #expect(pace.rest(now: now) == .milliseconds(100), "a success makes them short again")
    }

    @Test func aRetryAfterPauseIsCappedAtOneMinute() {
        var pace = PrefetchPace(perSecond: nil, inFlightMax: 1, now: at(0))
        #expect(pace.next(now: at(0)) == .ask)
        pace.pushedBack(retryAfter: .seconds(86_400), now: at(0))
        #expect(pace.rest(now: at(0)) == .seconds(60))
    }

    @Test func theWindowOpensAgainByOneARound() {
        var pace = PrefetchPace(perSecond: nil, inFlightMax: 16, now: at(0))
        #expect(ask(&pace, at: 0) == 16)
        pace.pushedBack(retryAfter: .zero, now: at(0))
        for _ in 0..<15 { pace.endedWell() }
        let before = pace.window
        #expect(before >= 8 && before <= 10)
        for _ in 0..<20 {
            let asked = ask(&pace, at: 1)
            for _ in 0..<asked { pace.endedWell() }
        }
        #expect(pace.window == 16, "and no further than it may")
    }

    @Test func theWindowNeverCloses() {
        var pace = PrefetchPace(perSecond: nil, inFlightMax: 64, now: at(0))
        for round in 0..<20 {
            let now = at(Int64(round) * 100_000)
            #expect(pace.next(now: now) == .ask)
            pace.pushedBack(retryAfter: nil, now: now)
        }
        #expect(pace.window == 1)
    }
}
