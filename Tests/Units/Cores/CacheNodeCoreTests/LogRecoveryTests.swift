import CacheModel
import Testing

@testable import CacheNodeCore

@Suite struct LogRecoveryTests {
    private static func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: 0).advanced(by: .milliseconds(milliseconds))
    }

    private static func mark(_ sequence: UInt64) -> LogMark {
        LogMark(
            position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence)),
            digest: LogDigest(sequence))
    }

    /// The id of the request that follows `sequence` at a time, if it is sent.
    private static func request(
        _ recovery: inout LogRecovery, after sequence: UInt64, nextID: UInt64, at time: Int64
    ) -> UInt64? {
        recovery.request(after: mark(sequence), nextID: nextID, now: at(time))
    }

    @Test func theSameRequestIsRepeatedAfterAWhileUnderItsId() {
        var recovery = LogRecovery()
        let ids = [
            Self.request(&recovery, after: 3, nextID: 1, at: 0),
            Self.request(&recovery, after: 3, nextID: 2, at: 199),
            Self.request(&recovery, after: 3, nextID: 3, at: 200),
            Self.request(&recovery, after: 4, nextID: 4, at: 201),
        ]
        #expect(ids == [1, nil, 1, 4])
    }

    @Test func onlyTheLastRequestIsAnsweredAndOnce() {
        var recovery = LogRecovery()
        _ = Self.request(&recovery, after: 3, nextID: 1, at: 0)
        _ = Self.request(&recovery, after: 4, nextID: 2, at: 0)
        let answered = [1, 2, 2].map { recovery.answered(requestID: $0) }
        #expect(answered == [nil, Self.mark(4), nil])
        let next = Self.request(&recovery, after: 4, nextID: 3, at: 1)
        #expect(next == 3)
    }

    @Test func aRequestThatWaitsForTheShardsLeavesTheEarlierOneOpen() {
        var recovery = LogRecovery()
        _ = Self.request(&recovery, after: 3, nextID: 1, at: 0)
        recovery.isWaiting = true
        let after = recovery.answered(requestID: 1)
        #expect(after == Self.mark(3) && recovery.isWaiting)
        let next = Self.request(&recovery, after: 5, nextID: 2, at: 1)
        #expect(next == 2 && !recovery.isWaiting)
    }

    @Test func replayedRecordsAreReportedOnceTheGapIsClosed() {
        var recovery = LogRecovery()
        let counts = [
            recovery.replayed(0, isAtHead: true), recovery.replayed(4, isAtHead: false),
            recovery.replayed(2, isAtHead: true), recovery.replayed(0, isAtHead: true),
            recovery.replayed(4, isAtHead: false),
        ]
        #expect(counts == [nil, nil, 6, nil, nil])
        recovery.forget()
        let afterForgetting = recovery.replayed(1, isAtHead: true)
        #expect(afterForgetting == 1)
    }
}
