import CacheModel
import Testing

@testable import GatewayServer
@testable import MartletClient

@Suite struct MeetingTests {
    @Test func aNodeThatDeniesItsMetricsCountsAsReached() {
        #expect(GatewayService.isReached(.success([])))
        #expect(GatewayService.isReached(.failure(CacheError(.unauthorised, ""))))
        for code in [CacheError.Code.disconnected, .timedOut, .busy, .closed] {
            #expect(!GatewayService.isReached(.failure(CacheError(code, ""))))
        }
    }
}
