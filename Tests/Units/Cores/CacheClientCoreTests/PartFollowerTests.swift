import CacheClientCore
import CacheModel
import CacheWire
import Testing

@Suite struct PartFollowerTests {
    private static func mark(_ sequence: UInt64) -> LogMark {
        let position = LogPosition(epoch: Epoch(1), sequence: SequenceNumber(sequence))
        return LogMark(position: position, digest: LogDigest(sequence * 7))
    }

    private static func at(_ seconds: Double) -> Instant {
        Instant(nanoseconds: UInt64(seconds * 1e9))
    }

    private static func answer(_ through: UInt64, _ sequences: UInt64...) -> Followed {
        var answer = Followed(through: mark(through), head: mark(100).position)
        answer.records = sequences.map { record($0) }
        return answer
    }

    private static func record(_ sequence: UInt64) -> InvalidationRecord {
        InvalidationRecord(
            position: mark(sequence).position, previousDigest: LogDigest(0), operation: .none,
            strength: .hard, scopes: [Scope(.everything)])
    }

    /// The question that is asked then.
    private static func ask(
        _ follower: inout PartFollower, room: Int, now: Instant
    ) throws -> PartFollower.Question {
        let question = follower.question(room: room, now: now)
        return try #require(question)
    }

    @Test func eachAnswerLeadsToTheNextQuestion() throws {
        var follower = PartFollower(after: Self.mark(5), now: Self.at(1))
        let first = try Self.ask(&follower, room: 100, now: Self.at(1))
        #expect(first.request.after == Self.mark(5) && !first.request.isFromHead)
        #expect(first.request.limit == 99 && first.request.holdMilliseconds == 1_000)
        #expect(follower.question(room: 100, now: Self.at(1.5)) == nil, "one at a time")
        let heard = follower.answered(Self.answer(9, 7, 8), to: first.requestID, now: Self.at(2))
        #expect(
            heard == [
                .deliver(Self.record(7)), .deliver(Self.record(8)),
                .heartbeat(head: Self.mark(100).position),
            ])
        let second = try Self.ask(&follower, room: 100, now: Self.at(2))
        #expect(second.request.after == Self.mark(9))
        #expect(
            follower.answered(Self.answer(9, 9), to: second.requestID, now: Self.at(2.1)).count
                == 1, "no heartbeat so soon")
    }

    @Test func aFollowerWithoutAPositionStartsAtTheHead() throws {
        var follower = PartFollower(after: nil, now: Self.at(1))
        let first = try Self.ask(&follower, room: 100, now: Self.at(1))
        #expect(first.request.isFromHead && first.request.after == .none)
    }

    @Test func silenceIsAskedAgainAndALateAnswerPassedOver() throws {
        var follower = PartFollower(after: Self.mark(5), now: Self.at(1))
        let first = try Self.ask(&follower, room: 100, now: Self.at(1))
        #expect(follower.nextLook == Self.at(3))
        let second = try Self.ask(&follower, room: 100, now: Self.at(3))
        #expect(second.request.after == Self.mark(5) && second.requestID != first.requestID)
        #expect(!follower.isLongSilent)
        #expect(
            follower.answered(Self.answer(9, 7), to: first.requestID, now: Self.at(3.1)) == [])
        #expect(
            follower.answered(Self.answer(9, 7), to: second.requestID, now: Self.at(3.2)).count
                == 2)
        for second in [4.0, 6.0] { _ = follower.question(room: 100, now: Self.at(second)) }
        #expect(!follower.isLongSilent)
        _ = follower.question(room: 100, now: Self.at(8))
        #expect(follower.isLongSilent)
        follower.startsAnew()
        #expect(!follower.isLongSilent)
    }

    @Test func aReaderWithoutRoomIsWaitedFor() throws {
        var follower = PartFollower(after: Self.mark(5), now: Self.at(1))
        #expect(follower.question(room: 1, now: Self.at(1)) == nil)
        #expect(follower.nextLook > Self.at(1))
        let asked = try Self.ask(&follower, room: 3, now: follower.nextLook)
        #expect(asked.request.limit == 2, "the last place is for a heartbeat")
    }

    @Test func whatIsLostIsSaid() throws {
        var follower = PartFollower(after: Self.mark(5), now: Self.at(1))
        let first = try Self.ask(&follower, room: 100, now: Self.at(1))
        var answer = Self.answer(50)
        answer.isLost = true
        #expect(
            follower.answered(answer, to: first.requestID, now: Self.at(1)) == [
                .lost(
                    after: Self.mark(5).position, continuingAfter: Self.mark(50).position)
            ])
        let next = try Self.ask(&follower, room: 9, now: Self.at(1))
        #expect(next.request.after == Self.mark(50))
    }

    @Test func aRefusalIsWaitedOutOrTheEnd() throws {
        var follower = PartFollower(after: Self.mark(5), now: Self.at(1))
        let first = try Self.ask(&follower, room: 100, now: Self.at(1))
        var busy = ErrorReply(.busy, "no room")
        busy.retryAfterMilliseconds = 100
        #expect(follower.refused(busy, to: first.requestID, now: Self.at(1)) == [])
        #expect(follower.question(room: 100, now: Self.at(1.05)) == nil)
        let second = try Self.ask(&follower, room: 100, now: Self.at(1.1))
        let denied = ErrorReply(.unauthorised, "not you")
        #expect(follower.refused(denied, to: first.requestID, now: Self.at(1.2)) == [])
        #expect(
            follower.refused(denied, to: second.requestID, now: Self.at(1.2)) == [.end(denied)])
    }

    @Test func positionsOfAnotherClusterAreNotSentAndReportALoss() throws {
        let now = Instant(nanoseconds: 1_000_000_000)
        let place = LogMark(
            position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(2)),
            digest: LogDigest(0))
        let through = LogMark(
            position: LogPosition(epoch: Epoch(1), sequence: SequenceNumber(9)),
            digest: LogDigest(5))
        var follower = PartFollower(after: place, isVoid: true, now: now)
        let first = follower.question(room: 9, now: now)
        let question = try #require(first)
        #expect(question.request.isFromHead && question.request.after == .none)
        let answer = Followed(through: through, head: through.position)
        #expect(
            follower.answered(answer, to: question.requestID, now: now)
                == [.lost(after: place.position, continuingAfter: through.position)])
        let second = follower.question(room: 9, now: now)
        let next = try #require(second)
        #expect(!next.request.isFromHead && next.request.after == through)
    }

    /// No question names the cluster after that: a later one would be answered from the place.
    @Test func aLateRefusalOfAnotherClusterSaysThatThePlaceIsLost() throws {
        var follower = PartFollower(after: Self.mark(5), now: Self.at(1))
        let first = try Self.ask(&follower, room: 100, now: Self.at(1))
        _ = try Self.ask(&follower, room: 100, now: Self.at(3))
        let refusal = ErrorReply(.wrongCluster, "another")
        #expect(follower.refused(refusal, to: first.requestID, now: Self.at(3.1)).isEmpty)
        #expect(follower.question(room: 100, now: Self.at(4)) == nil, "the second is still out")
        let third = try Self.ask(&follower, room: 100, now: Self.at(5))
        #expect(third.request.isFromHead)
        #expect(
            follower.answered(Self.answer(9), to: third.requestID, now: Self.at(6)) == [
                .lost(after: Self.mark(5).position, continuingAfter: Self.mark(9).position)
            ])
    }

    @Test func whatAPublisherOfAnotherClusterRefusesIsLost() throws {
        var follower = PartFollower(after: Self.mark(5), now: Self.at(1))
        let first = try Self.ask(&follower, room: 100, now: Self.at(1))
        let refusal = ErrorReply(.wrongCluster, "another")
        #expect(follower.refused(refusal, to: first.requestID, now: Self.at(2)).isEmpty)
        let second = try Self.ask(&follower, room: 100, now: Self.at(10))
        #expect(second.request.isFromHead)
        #expect(
            follower.answered(Self.answer(9), to: second.requestID, now: Self.at(11)) == [
                .lost(after: Self.mark(5).position, continuingAfter: Self.mark(9).position)
            ])
    }

    // MARK: Several publishers: docs/protocol.md 8.6

    @Test func itGoesOnAtAnotherPublisherFromTheSamePosition() throws {
        var follower = PartFollower(after: Self.mark(5), now: Self.at(1))
        follower.isOneOfSeveral = true
        let first = try Self.ask(&follower, room: 100, now: Self.at(1))
        _ = follower.answered(Self.answer(9, 7, 8), to: first.requestID, now: Self.at(2))
        let second = try Self.ask(&follower, room: 100, now: Self.at(2))
        follower.denied(second.requestID, now: Self.at(2.1))
        #expect(follower.question(room: 100, now: Self.at(2.2)) == nil, "a pause")
        follower.moves(now: Self.at(2.3))
        let third = try Self.ask(&follower, room: 100, now: Self.at(2.3))
        #expect(third.request.after == Self.mark(9))
        #expect(
            follower.answered(Self.answer(12, 10), to: second.requestID, now: Self.at(2.4)) == [],
            "a late answer of the former one")
        // Silence of one of several is known sooner.
        #expect(follower.nextLook == Self.at(3.9) && !follower.isSilent)
        _ = follower.question(room: 100, now: Self.at(3.9))
        #expect(follower.isSilent)
    }

    @Test func aPublisherThatIsBehindReportsNoLoss() throws {
        for isOneOfSeveral in [true, false] {
            var follower = PartFollower(after: Self.mark(150), now: Self.at(1))
            follower.isOneOfSeveral = isOneOfSeveral
            let first = try Self.ask(&follower, room: 100, now: Self.at(1))
            var behind = Self.answer(100)
            behind.isLost = true
            let heard = follower.answered(behind, to: first.requestID, now: Self.at(1))
            guard isOneOfSeveral else {
                #expect(heard.count == 1 && heard != [.behind])
                continue
            }
            #expect(heard == [.behind])
            let again = try Self.ask(&follower, room: 100, now: Self.at(2))
            #expect(again.request.after == Self.mark(150))
        }
    }
}
