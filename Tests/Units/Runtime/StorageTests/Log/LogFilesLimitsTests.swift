import Storage
import Testing

@Suite struct LogFilesLimitsTests {
    @Test func theBoundsAgreeWithEachOther() {
        LogFilesLimits.check()
    }
}
