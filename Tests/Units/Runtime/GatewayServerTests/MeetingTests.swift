import CacheModel
import Testing

@testable import GatewayServer
@testable import MartletClient

@Suite struct MeetingTests {
    @Test func aNodeThatDeniesItsMetricsCountsAsReached() {
        #expect(ClusterView.isReached(.success([])))
        #expect(ClusterView.isReached(.failure(CacheError(.unauthorised, ""))))
        for code in [CacheError.Code.disconnected, .timedOut, .busy, .closed] {
            #expect(!ClusterView.isReached(.failure(CacheError(code, ""))))
        }
    }
}
