import CacheModel
import Testing

@testable import CacheNodeCore

/// What the shards have applied, and when the publisher is told.
@Suite struct ShardPositionsTests {
    private static func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 1_000_000_000).advanced(by: .milliseconds(milliseconds))
    }

    private static func mark(_ sequence: UInt64) -> LogMark {
        LogMark(
            position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence)),
            digest: LogDigest(sequence))
    }

    @Test func theLowestReportIsAppliedAndNoneUntilEveryShardReported() {
        var shards = ShardPositions(shardCount: 2, at: .none)
        var applied: [LogMark] = []
        var hasChanged: [Bool] = []
        // The third is below the second: no shard goes back.
        for (shard, sequence) in [(0, 5), (1, 3), (1, 2), (1, 9)] as [(Int, UInt64)] {
            hasChanged.append(shards.report(Self.mark(sequence), of: ShardIndex(shard)))
            applied.append(shards.applied)
        }
        #expect(hasChanged == [false, true, false, true])
        #expect(applied == [.none, Self.mark(3), Self.mark(3), Self.mark(5)])
    }

    @Test func reportsFromBeforeAForgettingAreIgnored() {
        var shards = ShardPositions(shardCount: 2, at: Self.mark(5))
        shards.forget(continueFrom: Self.mark(9).position)
        #expect(shards.applied == .none)
        for shard in 0..<2 { _ = shards.report(Self.mark(8), of: ShardIndex(shard)) }
        #expect(shards.applied == .none)
        for shard in 0..<2 { _ = shards.report(Self.mark(9), of: ShardIndex(shard)) }
        #expect(shards.applied == Self.mark(9))
    }

    @Test func anAwaitedPositionIsAcknowledgedAtOnceAndOthersAtALimitedRate() {
        var acks = AckSchedule()
        #expect(acks.deadline(for: .none) == nil, "there is nothing to claim")
        acks.acknowledge(Self.mark(1), now: Self.at(0))
        #expect(acks.deadline(for: Self.mark(1)) == nil, "the publisher knows it")
        #expect(acks.deadline(for: Self.mark(2)) == Self.at(10))
        acks.awaitedThrough = Self.mark(2).position
        #expect(acks.deadline(for: Self.mark(2)) == Instant(nanoseconds: 0))
    }

    @Test func shardsThatWereNotAskedToReportArePolledWhileOneIsBehind() {
        var acks = AckSchedule()
        acks.polled(isAnyBehind: true, now: Self.at(0))
        #expect(acks.pollAt == nil)
        for time in [0, 5] as [Int64] {
            let isAwaited = acks.handOut([], now: Self.at(time))
            #expect(!isAwaited && acks.pollAt == Self.at(10))
        }
        acks.polled(isAnyBehind: false, now: Self.at(9))
        #expect(acks.pollAt == Self.at(10))
        acks.polled(isAnyBehind: true, now: Self.at(10))
        #expect(acks.pollAt == Self.at(20))
        acks.polled(isAnyBehind: false, now: Self.at(20))
        #expect(acks.pollAt == nil)
    }
}
