import CacheClientCore
import Testing

@Suite struct ClientLimitsTests {
    @Test func theLimitsFitEachOther() {
        ClientLimits.check()
    }
}
