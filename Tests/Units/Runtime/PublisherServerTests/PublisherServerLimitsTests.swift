@testable import PublisherServer
import Testing

@Suite struct PublisherServerLimitsTests {
    @Test func theBoundsAgreeWithEachOther() {
        PublisherServerLimits.check()
    }
}
