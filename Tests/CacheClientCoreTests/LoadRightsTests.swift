import CacheModel
import Testing

@testable import CacheClientCore

@Suite struct LoadRightsTests {
    private func token(_ nonce: UInt64, of run: UInt64 = 1) -> FillToken {
        FillToken(position: .none, incarnation: Incarnation(run), nonce: nonce)
    }

    @Test func ofAllLoadsThatAreHandedOneLeaseTheFirstTakesItUp() {
        var rights = LoadRights()
        #expect(rights.take(token(1)))
        #expect(!rights.take(token(1)))
        #expect(rights.take(token(2)))
        #expect(rights.take(token(1, of: 2)), "another run draws numbers of its own")
    }

    @Test func onlySoManyAreKnown() {
        var rights = LoadRights()
        let count = UInt64(ClientLimits.loadRightsMax)
        for nonce in 0...count { #expect(rights.take(token(nonce))) }
        #expect(!rights.take(token(1)))
        #expect(!rights.take(token(count)))
        #expect(rights.take(token(0)), "the first was forgotten")
        #expect(rights.take(token(1)), "and for it the second")
    }
}
