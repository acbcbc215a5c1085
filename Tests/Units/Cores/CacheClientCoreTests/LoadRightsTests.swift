import CacheModel
import Testing

@testable import CacheClientCore

@Suite struct LoadRightsTests {
    private func token(_ nonce: UInt64, of run: UInt64 = 1) -> FillToken {
        FillToken(position: .none, incarnation: Incarnation(run), nonce: nonce)
    }

    @Test func aLeaseIsTakenByTheFirstLoadOnly() {
        var rights = LoadRights()
        let tokens = [token(1), token(1), token(2), token(1, of: 2)]
        // Another run draws numbers of its own.
        #expect(tokens.map { rights.take($0) } == [true, false, true, true])
    }

    @Test func onlySoManyAreKnown() {
        var rights = LoadRights()
        let count = UInt64(ClientLimits.loadRightsMax)
        let taken = (0...count).count { rights.take(token($0)) }
        #expect(taken == ClientLimits.loadRightsMax + 1)
        let known = [1, count, 0, 1].map { rights.take(token($0)) }
        #expect(known == [false, false, true, true], "the first was forgotten, then the second")
    }
}
