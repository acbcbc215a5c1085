import Testing

@testable import CacheLoading

@Suite struct ConcurrencyLimitTests {
    @Test(arguments: [-1, 0, 1, 5, 64])
    func itBeginsAtItsMaximumAndThatIsAtLeastOne(max: Int) {
        let limit = ConcurrencyLimit(max: max)
        #expect(limit.current == Swift.max(1, max))
    }

    @Test func oneJamIsOneDecrease() {
        var limit = ConcurrencyLimit(max: 100)
        for attempt: UInt64 in 1...100 {
            limit.congested(AttemptNumber(attempt), newest: AttemptNumber(100))
        }
        #expect(limit.current == 70)
        limit.congested(AttemptNumber(101), newest: AttemptNumber(150))
        #expect(limit.current == 49)
    }

    @Test func aLimitsWorthOfGoodAnswersIsOnePlaceMore() {
        var limit = ConcurrencyLimit(max: 100)
        limit.congested(AttemptNumber(1), newest: AttemptNumber(1))
        for _ in 0..<69 { limit.good(AttemptNumber(2), inFlight: 70) }
        #expect(limit.current == 70)
        for _ in 0..<2 { limit.good(AttemptNumber(2), inFlight: 70) }
        #expect(limit.current == 71)
    }

    @Test func aLimitThatIsNotFeltDoesNotGrow() {
        var limit = ConcurrencyLimit(max: 100)
        limit.congested(AttemptNumber(1), newest: AttemptNumber(1))
        for _ in 0..<1_000 { limit.good(AttemptNumber(2), inFlight: 34) }
        #expect(limit.current == 70)
    }

    @Test func anAttemptFromBeforeTheDecreaseIsNotHeard() {
        var limit = ConcurrencyLimit(max: 100)
        limit.congested(AttemptNumber(1), newest: AttemptNumber(100))
        for attempt: UInt64 in 2...100 { limit.good(AttemptNumber(attempt), inFlight: 100) }
        #expect(limit.current == 70)
    }

    @Test func itNeverLeavesItsBounds() {
        var limit = ConcurrencyLimit(max: 7)
        for attempt: UInt64 in 1...100 {
            limit.congested(AttemptNumber(attempt), newest: AttemptNumber(attempt))
        }
        #expect(limit.current == 1)
        for _ in 0..<1_000 { limit.good(AttemptNumber(101), inFlight: 7) }
        #expect(limit.current == 7)
    }

    @Test(arguments: [(1, 1), (9, 1), (10, 1), (20, 2), (64, 6)])
    func aSlowStartIsATenth(max: Int, expected: Int) {
        var limit = ConcurrencyLimit(max: max)
        limit.startSlowly()
        #expect(limit.current == expected)
    }

    @Test func aNewMaximumTakesAlongALimitThatWasNeverFelt() {
        var limit = ConcurrencyLimit(max: 10)
        limit.bound(by: 20)
        #expect(limit.current == 20)
        limit.congested(AttemptNumber(1), newest: AttemptNumber(1))
        limit.bound(by: 40)
        #expect(limit.current == 14)
        limit.bound(by: 5)
        #expect(limit.current == 5)
        limit.bound(by: 0)
        #expect(limit.current == 1)
    }
}
