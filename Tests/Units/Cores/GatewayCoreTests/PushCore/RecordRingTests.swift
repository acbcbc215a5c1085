import CacheModel
import Testing

@testable import GatewayCore

@Suite struct RecordRingTests {
    @Test func itKeepsTheNewestAndSaysWhereItBegins() {
        var ring = RecordRing(after: at(3), recordsMax: 4)
        #expect(ring.start == at(3) && ring.end == at(3))
        for number in 4...9 as ClosedRange<UInt64> { ring.append(record(number), whole: nil) }
        #expect(ring.count == 4)
        #expect(ring.start == at(5) && ring.end == at(9))
        #expect((4...9).map { ring.place(after: at($0)) } == [0, 0, 1, 2, 3, 4])
    }

    @Test func itIsBoundedByBytesAndKeepsTheNewestInAnyCase() throws {
        var ring = RecordRing(after: at(0), bytesMax: 5_000)
        let name = String(repeating: "k", count: 1_000)
        for number in 1...3 as ClosedRange<UInt64> {
            ring.append(record(number, [Scope(try key(name))]), whole: nil)
        }
        #expect(ring.count == 1)
        #expect(ring.start == at(2))
        #expect(ring.heldBytes <= 5_000)
        let large = try (0..<10).map { _ in Scope(try key(name)) }
        ring.append(record(4, large), whole: nil)
        #expect(ring.count == 1 && ring.end == at(4))
        ring.restart(after: at(0, epoch: 2))
        #expect(ring.count == 0 && ring.heldBytes == 0 && ring.start == at(0, epoch: 2))
    }

    @Test func aPositionBetweenTwoRecordsLeadsToTheNext() {
        var ring = RecordRing(after: at(0))
        for number in [2, 5, 9] as [UInt64] { ring.append(record(number), whole: nil) }
        #expect((0...9).map { ring.place(after: at($0)) } == [0, 0, 1, 1, 1, 2, 2, 2, 2, 3])
    }
}
