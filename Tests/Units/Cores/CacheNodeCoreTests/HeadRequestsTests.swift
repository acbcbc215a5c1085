import CacheModel
import CacheWire
import Testing

@testable import CacheNodeCore

@Suite struct HeadRequestsTests {
    private static func heads(
        in actions: [NodeControlAction]
    ) -> [[UInt64]] {
        actions.compactMap { action in
            guard case .headKnown(let shard, let number, let head) = action else { return nil }
            return [UInt64(shard.rawValue), number, head.sequence.rawValue]
        }
    }

    private static func questions(in actions: [NodeControlAction]) -> [Sent] {
        Sent.of(.ping, in: actions).filter {
            ControlRequestID.kind(of: $0.requestID) == .head
        }
    }

    private func ask(
        _ stage: inout ControlStage, _ shard: Int, _ number: UInt64
    ) -> [NodeControlAction] {
        stage.perform { core, now, actions in
            core.askHead(ShardIndex(shard), number: number, now: now, into: &actions)
        }
    }

    private func answer(
        _ stage: inout ControlStage, _ question: Sent, of log: LogID = ControlStage.log,
        head: LogMark? = nil
    ) -> [NodeControlAction] {
        let pong = Pong(
            sentAt: 0, log: log, head: head ?? stage.head, leaseMilliseconds: 0,
            versions: stage.versions)
        return stage.control { pong.encode(requestID: question.requestID, into: &$0) }
    }

    @Test func headQuestionsAreSentAtOnceAndAnsweredToTheirShard() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        try stage.append(3)
        let actions = ask(&stage, 1, 5)
        #expect(Sent.pings(in: actions).map(\.purpose) == [.head])
        let question = try #require(Self.questions(in: actions).first)
        #expect(Self.heads(in: answer(&stage, question)) == [[1, 5, 3]])
    }

    /// The answer under way may have been written before they asked.
    @Test func aHeadQuestionDuringAnotherWaitsForTheNextAnswer() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        let first = try #require(Self.questions(in: ask(&stage, 0, 1)).first)
        #expect(Self.questions(in: ask(&stage, 0, 2)).isEmpty)
        #expect(Self.questions(in: ask(&stage, 1, 1)).isEmpty)
        let actions = answer(&stage, first)
        #expect(Self.heads(in: actions) == [[0, 1, 0]])
        let second = try #require(Self.questions(in: actions).first)
        #expect(Self.heads(in: answer(&stage, second)) == [[0, 2, 0], [1, 1, 0]])
    }

    @Test func aLostQuestionIsAskedAgainForEverybody() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        let first = try #require(Self.questions(in: ask(&stage, 0, 1)).first)
        _ = ask(&stage, 1, 1)
        let second = try #require(
            Self.questions(in: stage.wait(NodeControlLimits.headPatience)).first)
        #expect(Self.heads(in: answer(&stage, first)).isEmpty, "it counts as lost")
        #expect(Self.heads(in: answer(&stage, second)) == [[0, 1, 0], [1, 1, 0]])
    }

    /// The log lost its end unseen, and its numbers were used again.
    @Test func aHeadWithAnotherDigestAnswersNoQuestion() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        try stage.append(3)
        stage.live(1...3)
        let question = try #require(Self.questions(in: ask(&stage, 0, 1)).first)
        var other = stage.head
        other.digest = LogDigest(other.digest.rawValue ^ 1)
        #expect(Self.heads(in: answer(&stage, question, head: other)).isEmpty)
        let standing = stage.core.standing.state
        #expect(standing == .suspect)
    }

    @Test func theHeadOfAnotherLogAnswersNoQuestion() throws {
        var stage = try ControlStage()
        try stage.becomeLive()
        let question = try #require(Self.questions(in: ask(&stage, 0, 1)).first)
        #expect(Self.heads(in: answer(&stage, question, of: LogID(8))).isEmpty)
        #expect(Self.heads(in: answer(&stage, question)) == [[0, 1, 0]])
    }

    @Test func aQuestionWaitsForAPublisherAndFollowsTheNextWelcome() throws {
        var stage = try ControlStage()
        #expect(Self.questions(in: ask(&stage, 0, 1)).isEmpty)
        stage.heartbeat()
        let question = try #require(Self.questions(in: stage.welcome()).first)
        #expect(Self.heads(in: answer(&stage, question)) == [[0, 1, 0]])
    }

    @Test func anAnswerToAQuestionForTheHeadIsNoLease() throws {
        var stage = try ControlStage()
        stage.heartbeat()
        stage.welcome()
        let question = try #require(Self.questions(in: ask(&stage, 0, 1)).first)
        let pong = Pong(
            sentAt: stage.now.nanoseconds, log: ControlStage.log, head: stage.head,
            leaseMilliseconds: 3_000, versions: stage.versions)
        stage.control { pong.encode(requestID: question.requestID, into: &$0) }
        #expect(!stage.core.standing.state.hasLease)
    }
}
