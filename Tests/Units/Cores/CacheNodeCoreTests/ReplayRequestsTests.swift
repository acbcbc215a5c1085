import CacheModel
import Testing

@testable import CacheNodeCore

@Suite struct ReplayRequestsTests {
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
        _ replays: inout ReplayRequests, after sequence: UInt64, nextID: UInt64, at time: Int64
    ) -> UInt64? {
        replays.request(after: mark(sequence), nextID: nextID, now: at(time))
    }

    @Test func theSameRequestIsRepeatedAfterAWhileUnderItsId() {
        var replays = ReplayRequests()
        let ids = [
            Self.request(&replays, after: 3, nextID: 1, at: 0),
            Self.request(&replays, after: 3, nextID: 2, at: 199),
            Self.request(&replays, after: 3, nextID: 3, at: 200),
            Self.request(&replays, after: 4, nextID: 4, at: 201),
        ]
        #expect(ids == [1, nil, 1, 4])
    }

    @Test func onlyTheLastRequestIsAnsweredAndOnce() {
        var replays = ReplayRequests()
        _ = Self.request(&replays, after: 3, nextID: 1, at: 0)
        _ = Self.request(&replays, after: 4, nextID: 2, at: 0)
        let answered = [1, 2, 2].map { replays.answered(requestID: $0) }
        #expect(answered == [nil, Self.mark(4), nil])
        let next = Self.request(&replays, after: 4, nextID: 3, at: 1)
        #expect(next == 3)
    }

    @Test func aRequestThatWaitsForTheShardsLeavesTheEarlierOneOpen() {
        var replays = ReplayRequests()
        _ = Self.request(&replays, after: 3, nextID: 1, at: 0)
        replays.isWaiting = true
        let after = replays.answered(requestID: 1)
        #expect(after == Self.mark(3) && replays.isWaiting)
        let next = Self.request(&replays, after: 5, nextID: 2, at: 1)
        #expect(next == 2 && !replays.isWaiting)
    }

    @Test func replayedRecordsAreReportedOnceTheGapIsClosed() {
        var replays = ReplayRequests()
        let counts = [
            replays.replayed(0, isAtHead: true), replays.replayed(4, isAtHead: false),
            replays.replayed(2, isAtHead: true), replays.replayed(0, isAtHead: true),
            replays.replayed(4, isAtHead: false),
        ]
        #expect(counts == [nil, nil, 6, nil, nil])
        replays.forget()
        let afterForgetting = replays.replayed(1, isAtHead: true)
        #expect(afterForgetting == 1)
    }
}
