import CacheAccess
import CacheHTTP
import CacheModel
import Testing

@testable import GatewayServer

@Suite struct NearDeskTests {
    /// What is kept must make no difference to who may not read it: not in time, either.
    @Test func whoMayNotReadIsFoundOutAlsoForWhatIsNotKept() throws {
        let near = NearDesk(GatewayOptions.Near(bytesMax: 1 << 20))
        let order = try ReadOrder(.default, try #require(CacheKey("k")), FieldList())
        var asked = 0
        #expect(throws: Problem.self) {
            _ = try near.value(for: order) { () throws(Problem) in
                asked += 1
                throw Problem(.unauthenticated, "nobody")
            }
        }
        let hash = TokenHash.hash("secret")
        let list = try AccessList(parsing: "w \(hash) write")
        let writer = try #require(list.entry(of: hash))
        #expect(throws: Problem.self) {
            _ = try near.value(for: order) { () throws(Problem) in
                asked += 1
                return .holder(writer)
            }
        }
        #expect(asked == 2)
        #expect(try near.value(for: order) { () throws(Problem) in .anybody } == nil)
    }
}
