import Storage
import Testing

@Suite struct CacheFilesLimitsTests {
    @Test func theLimitsFitTogether() { CacheFilesLimits.check() }
}
