import ByteCoding
import CacheModel
import CacheWire
import Testing

@testable import MartletClient

/// Values that an invalidation overtook while they were loaded.
@Suite struct OvertakenValueTests {
    private static let head = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(9))
    private static let begun = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(7))

    private func answer(
        _ flags: ResultFlags, filledAt fill: LogPosition?
    ) throws -> (OperationAnswer, CachedValue) {
        var writer = ByteWriter()
        OperationResult.append(.hit, flags: flags, detail: Tier.origin.rawValue, to: &writer)
        if let fill { OperationResult.appendField(fillPosition: fill, to: &writer) }
        OperationResult.finishFields(from: 0, in: &writer)
        let proof = Proof(
            position: Self.head, state: .live, leaseLeftMilliseconds: 1_000, topologyVersion: 1)
        return try writer.array.withUnsafeBytes { bytes in
            var reader = ByteReader(bytes)
            let result = try OperationResult(decoding: &reader)
            return (
                try OperationAnswer(result, proof: proof, node: nil),
                CachedValue(result, proof, nil)
            )
        }
    }

    @Test func itReflectsThePositionAtWhichItsLoadBegan() throws {
        let (answer, _) = try answer(.overtaken, filledAt: Self.begun)
        let value = CachedValue(answer)
        #expect(value.isOvertaken && !value.isFenced)
        #expect(value.position == Self.begun)
    }

    @Test func withoutDetailsItProvesNothing() throws {
        let (_, plain) = try answer(.overtaken, filledAt: nil)
        #expect(plain.isOvertaken && plain.position == .none)
    }

    @Test func anyOtherValueReflectsThePositionOfItsShard() throws {
        let (answer, plain) = try answer([], filledAt: Self.begun)
        #expect(CachedValue(answer).position == Self.head && plain.position == Self.head)
        #expect(plain.isFenced)
    }
}
