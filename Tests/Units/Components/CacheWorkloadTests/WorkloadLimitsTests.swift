import CacheWorkload
import Testing

@Suite struct WorkloadLimitsTests {
    @Test func theBoundsGoTogether() {
        WorkloadLimits.check()
    }
}
