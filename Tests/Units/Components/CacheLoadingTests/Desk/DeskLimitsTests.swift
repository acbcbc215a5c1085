import CacheModel
import Testing

@testable import CacheLoading

@Suite struct DeskLimitsTests {
    @Test func theBoundsFitEachOther() {
        #expect(DeskLimits.restBase <= DeskLimits.restMax)
        #expect(DeskLimits.retryAfterMin <= DeskLimits.retryAfterUnknown)
        #expect(DeskLimits.retryAfterUnknown <= DeskLimits.retryAfterGuessMax)
        #expect(DeskLimits.retryAfterGuessMax <= DeskLimits.retryAfterMax)
        #expect(DeskLimits.pauseJitter == Percent(10))
        #expect(DeskLimits.tenthsPerRetry <= DeskLimits.budgetTenthsMax)
        #expect((0.1..<1).contains(DeskLimits.congestionFactor))
        #expect(DeskLimits.refreshDivisor <= DeskLimits.prefetchDivisor)
    }
}
