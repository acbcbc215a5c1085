import CacheMemory
import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

/// Which parts of a floor snapshot count, and what they tell.
@Suite struct FloorsQuestTests {
    private static let log = LogID(7)

    private static func mark(_ sequence: UInt64, epoch: UInt32 = 1) -> LogMark {
        LogMark(
            position: LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence)),
            digest: LogDigest(sequence))
    }

    /// It had reached 30, and went on from 40.
    private static func quest() -> FloorsQuest {
        FloorsQuest(
            log: log, reached: mark(30), goesOnFrom: mark(40), now: Instant(nanoseconds: 0))
    }

    private static func part(
        asOf: LogMark = mark(45), completeSince: UInt64 = 20, first: Int = 0, next: Int = 1 << 22
    ) -> FloorSnapshotPart {
        FloorSnapshotPart(
            log: log, asOf: asOf, completeSince: SequenceNumber(completeSince),
            firstBucket: first, nextBucket: next)
    }

    @Test func partsFollowEachOtherToTheEnd() {
        var quest = Self.quest()
        #expect(quest.take(Self.part(next: 100)) == .more)
        #expect(quest.nextBucket == 100)
        #expect(quest.take(Self.part(first: 100)) == .done)
    }

    @Test func aPartThatSaysNothingOfThisPlaceIsUseless() {
        var strange = Self.part()
        strange.log = LogID(8)
        let useless = [
            strange, Self.part(asOf: Self.mark(45, epoch: 2)), Self.part(asOf: Self.mark(39)),
            Self.part(completeSince: 31), Self.part(first: 5),
        ]
        for part in useless {
            var quest = Self.quest()
            #expect(quest.take(part) == .useless)
        }
    }

    /// A publisher that cannot compare the mark tells what was touched under lesser numbers, too:
    /// they may be of another history.
    @Test(arguments: [21, 30, 31] as [UInt64])
    func everythingCountsUnderWhicheverNumberItIsTold(sequence: UInt64) {
        var quest = Self.quest()
        var part = Self.part()
        part.everything = SequenceNumber(sequence)
        #expect(quest.take(part) == .done)
        #expect(quest.touched.isEverything)
    }

    @Test func nothingToldIsNothingTouched() {
        var quest = Self.quest()
        #expect(quest.take(Self.part()) == .done)
        #expect(quest.touched == TouchedScopes())
    }
}
