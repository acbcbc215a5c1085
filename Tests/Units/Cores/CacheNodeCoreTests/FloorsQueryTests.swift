import CacheMemory
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// Which parts of a floor snapshot count, and what they tell.
@Suite struct FloorsQueryTests {
    private static let log = LogID(7)

    private static func mark(_ sequence: UInt64, epoch: UInt32 = 1) -> LogMark {
        LogMark(
            position: LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence)),
            digest: LogDigest(sequence))
    }

    /// It had reached 30, and went on from 40.
    private static func query() -> FloorsQuery {
        FloorsQuery(
            log: log, reached: mark(30), continuedFrom: mark(40), now: Instant(nanoseconds: 0))
    }

    private static func part(
        asOf: LogMark = mark(45), completeSince: UInt64 = 20, first: Int = 0, next: Int = 1 << 22
    ) -> FloorSnapshotPart {
        FloorSnapshotPart(
            log: log, asOf: asOf, completeSince: SequenceNumber(completeSince),
            firstBucket: first, nextBucket: next)
    }

    @Test func partsFollowEachOtherToTheEnd() {
        var query = Self.query()
        #expect(query.receive(Self.part(next: 100)) == .more)
        #expect(query.nextBucket == 100)
        #expect(query.receive(Self.part(first: 100)) == .done)
    }

    @Test func aPartThatSaysNothingOfThisPlaceIsUseless() {
        var strange = Self.part()
        strange.log = LogID(8)
        let useless = [
            strange, Self.part(asOf: Self.mark(45, epoch: 2)), Self.part(asOf: Self.mark(39)),
            Self.part(completeSince: 31), Self.part(first: 5),
        ]
        for part in useless {
            var query = Self.query()
            #expect(query.receive(part) == .useless)
        }
    }

    /// A publisher that cannot compare the mark tells what was touched under lesser numbers, too:
    /// they may be of another history.
    @Test(arguments: [21, 30, 31] as [UInt64])
    func everythingCountsUnderWhicheverNumberItIsTold(sequence: UInt64) {
        var query = Self.query()
        var part = Self.part()
        part.everything = SequenceNumber(sequence)
        #expect(query.receive(part) == .done)
        #expect(query.touched.isEverything)
    }

    @Test func nothingToldIsNothingTouched() {
        var query = Self.query()
        #expect(query.receive(Self.part()) == .done)
        #expect(query.touched == TouchedScopes())
    }
}
