import CacheModel
import Testing

@testable import CacheAccess

/// A rate, by what it let through in the long run.
@Suite struct TokenBucketTests {
    private static func at(_ milliseconds: UInt64) -> Instant {
        // A clock that has run for a day.
        Instant(nanoseconds: (86_400_000 + milliseconds) * 1_000_000)
    }

    @Test func aSecondsWorthMayComeAtOnceAndThenTheRateHolds() {
        var bucket = TokenBucket(perSecond: 10)
        var taken: [UInt64] = []
        for milliseconds in UInt64(0)..<3_000 {
            while bucket.timeUntilSome(now: Self.at(milliseconds)) == nil {
                bucket.take(1, now: Self.at(milliseconds))
                taken.append(milliseconds)
            }
        }
        #expect(taken.prefix { $0 == 0 }.count == 10)
        // One was left at every tenth of a second from then on.
        #expect(Array(taken.dropFirst(10)) == (0..<30).map { UInt64($0) * 100 + 1 })
    }

    @Test func somethingLeftIsEnoughForMuchWhichIsPaidInFull() {
        var bucket = TokenBucket(perSecond: 10)
        bucket.take(9, now: Self.at(0))
        #expect(bucket.timeUntilSome(now: Self.at(0)) == nil)
        bucket.take(100, now: Self.at(0))
        #expect(bucket.timeUntilSome(now: Self.at(0)) == .milliseconds(9_900) + .nanoseconds(1))
        #expect(bucket.timeUntilSome(now: Self.at(9_900)) == .nanoseconds(1))
        #expect(bucket.timeUntilSome(now: Self.at(9_901)) == nil)
    }

    @Test func anIdleBucketHoldsAtMostOneSecondOfTokens() {
        var bucket = TokenBucket(perSecond: 5)
        bucket.take(5, now: Self.at(0))
        var count = 0
        while bucket.timeUntilSome(now: Self.at(3_600_000)) == nil {
            bucket.take(1, now: Self.at(3_600_000))
            count += 1
        }
        #expect(count == 5)
    }

    @Test func noAmountIsTooMuchToCount() {
        var bucket = TokenBucket(perSecond: 1)
        bucket.take(.max, now: Self.at(0))
        bucket.take(.max, now: Self.at(0))
        #expect(bucket.timeUntilSome(now: Self.at(0)) != nil)
        var fast = TokenBucket(perSecond: Allowance.amountMax)
        for _ in 0..<1_000 { fast.take(1, now: Self.at(0)) }
        #expect(fast.timeUntilSome(now: Self.at(0)) == nil)
    }
}
