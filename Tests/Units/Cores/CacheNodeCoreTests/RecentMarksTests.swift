import CacheModel
import Testing

@testable import CacheNodeCore

/// Whether a mark is of the log that a shard follows.
@Suite struct RecentMarksTests {
    private static func mark(_ sequence: UInt64, epoch: UInt32 = 1) -> LogMark {
        LogMark(
            position: LogPosition(epoch: Epoch(epoch), sequence: SequenceNumber(sequence)),
            digest: LogDigest(sequence * 31 + UInt64(epoch)))
    }

    @Test func theLastRecordsAreKnownByTheirDigests() {
        var marks = RecentMarks()
        marks.restart(at: Self.mark(10))
        #expect(marks.contains(Self.mark(10)) && !marks.contains(Self.mark(9)))
        let last: UInt64 = 20_000
        for sequence in 11...last { marks.note(Self.mark(sequence)) }
        let first = last + 1 - UInt64(RecentMarks.recordsMax)
        #expect((first...last).allSatisfy { marks.contains(Self.mark($0)) })
        #expect(!marks.contains(Self.mark(first - 1)) && !marks.contains(Self.mark(last + 1)))
        var other = Self.mark(last)
        other.digest = LogDigest(1)
        #expect(!marks.contains(other))
    }

    @Test func anotherEpochAndAGapBeginAnew() {
        var marks = RecentMarks()
        marks.restart(at: Self.mark(10))
        marks.note(Self.mark(1, epoch: 2))
        #expect(marks.contains(Self.mark(1, epoch: 2)) && !marks.contains(Self.mark(10)))
        marks.note(Self.mark(5, epoch: 2))
        #expect(marks.contains(Self.mark(5, epoch: 2)))
        #expect(!marks.contains(Self.mark(1, epoch: 2)))
    }
}
