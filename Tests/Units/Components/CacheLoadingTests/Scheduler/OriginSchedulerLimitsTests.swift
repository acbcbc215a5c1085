import CacheModel
import Testing

@testable import CacheLoading

@Suite struct OriginSchedulerLimitsTests {
    @Test func theBoundsFitEachOther() {
        #expect(OriginSchedulerLimits.restBase <= OriginSchedulerLimits.restMax)
        #expect(OriginSchedulerLimits.retryAfterMin <= OriginSchedulerLimits.retryAfterUnknown)
        #expect(OriginSchedulerLimits.retryAfterUnknown <= OriginSchedulerLimits.retryAfterGuessMax)
        #expect(OriginSchedulerLimits.retryAfterGuessMax <= OriginSchedulerLimits.retryAfterMax)
        #expect(OriginSchedulerLimits.pauseJitter == Percent(10))
        #expect(OriginSchedulerLimits.tenthsPerRetry <= OriginSchedulerLimits.budgetTenthsMax)
        #expect((0.1..<1).contains(OriginSchedulerLimits.congestionFactor))
        #expect(OriginSchedulerLimits.refreshDivisor <= OriginSchedulerLimits.prefetchDivisor)
    }
}
