import CacheAccess
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// Rights and rate budgets of one shard's senders, without a shard.
@Suite struct ShardAdmissionTests {
    private static let reader = PrincipalNumber(rawValue: 1)
    private static let node = PrincipalNumber(rawValue: 2)

    private static func admission() throws -> ShardAdmission {
        let (one, two) = (String(repeating: "1", count: 64), String(repeating: "2", count: 64))
        var admission = ShardAdmission(isGuarded: true)
        admission.setAccess(
            try AccessTable(
                listing: "reader \(one) read * ops=1/s\nn2 \(two) node * waiting=1"))
        return admission
    }

    private static func code(
        _ frame: [UInt8], _ admission: inout ShardAdmission
    ) throws -> ErrorCode? {
        try frame.withUnsafeBytes { bytes in
            var tags: [UnsafeRawBufferPointer] = []
            let frame = RequestFrame(peer: ShardHarness.peer, bytes: bytes, principal: reader)
            let message = try MessageView(decoding: bytes)
            do throws(WireRefusal) {
                try admission.admit(message, of: frame, tags: &tags, now: Instant(nanoseconds: 1))
                return nil
            } catch {
                return error.code
            }
        }
    }

    @Test func aMessageWithoutTheRightCostsNothingOfTheBudget() throws {
        var admission = try Self.admission()
        var harness = ShardHarness()
        #expect(try Self.code(harness.setFrame("k", "v"), &admission) == .unauthorised)
        #expect(try Self.code(harness.getFrame(["k"]), &admission) == nil)
        #expect(try Self.code(harness.getFrame(["k"]), &admission) == .busy)
        #expect(admission.statistics.denied == 1 && admission.statistics.overBudget == 1)
    }

    @Test func onlyAnIdentifiedClientUsesAShare() throws {
        let admission = try Self.admission()
        #expect(admission.shareholder(Self.reader) == Self.reader)
        #expect(admission.shareholder(Self.node) == nil)
        #expect(ShardAdmission(isGuarded: false).shareholder(Self.reader) == nil)
    }
}
