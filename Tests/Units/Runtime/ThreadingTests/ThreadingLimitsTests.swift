import Testing
import Threading

@Suite struct ThreadingLimitsTests {
    @Test func theLimitsAgreeWithEachOther() {
        ThreadingLimits.check()
    }
}
