import CacheModel
import CacheNodeCore
import CacheWire
import Testing

/// `get --fresh` at a shard: ask for the head, pass it, answer.
@Suite struct StrongReadTests {
    private static let shape = RequestShape(deadlineMilliseconds: 500, isFresh: true)

    private func questions(_ shard: borrowing ShardHarness) -> [UInt64] {
        shard.effects.compactMap { if case .askHead(let number) = $0 { number } else { nil } }
    }

    private func outcomes(_ replies: [ShardHarness.Reply]) -> [ShardHarness.Outcome] {
        guard case .results(_, let outcomes)? = replies.first else { return [] }
        return outcomes
    }

    @Test func aStrongReadIsAnsweredOnceTheHeadIsKnownAndPassed() {
        var shard = ShardHarness()
        _ = shard.set("a", "one")
        #expect(shard.send(shard.getFrame(["a"], [], Self.shape)).isEmpty)
        #expect(questions(shard) == [1])
        #expect(shard.finishWaiting().isEmpty, "the head is not known")

        let head = shard.log.head.position.next
        shard.core.headKnown(number: 1, head: head)
        #expect(shard.finishWaiting().isEmpty, "the head is not passed")
        _ = shard.invalidate(.key("a"))
        let found = outcomes(shard.finishWaiting())
        #expect(found.map(\.status) == [.miss])
    }

    @Test func readsOfOneTurnShareAQuestionAndLaterOnesDoNot() {
        var shard = ShardHarness()
        _ = shard.send(shard.getFrame(["a"], [], Self.shape))
        _ = shard.send(shard.getFrame(["b"], [], Self.shape))
        #expect(questions(shard) == [1], "the question has not left the turn")
        shard.effects = []
        _ = shard.send(shard.getFrame(["c"], [], Self.shape))
        #expect(questions(shard) == [2], "the first may be answered with an older head")

        shard.core.headKnown(number: 1, head: shard.log.head.position)
        #expect(shard.finishWaiting().count == 2)
        let hasWaiting = shard.core.hasWaiting
        #expect(hasWaiting)
        shard.core.headKnown(number: 2, head: shard.log.head.position)
        #expect(shard.finishWaiting().count == 1)
    }

    @Test func anAnswerHoldsForEveryEarlierQuestion() {
        var shard = ShardHarness()
        _ = shard.send(shard.getFrame(["a"], [], Self.shape))
        shard.effects = []
        _ = shard.send(shard.getFrame(["b"], [], Self.shape))
        shard.core.headKnown(number: 2, head: shard.log.head.position)
        #expect(shard.finishWaiting().count == 2)
    }

    @Test func aStrongReadAlsoWaitsForThePositionItAsksFor() {
        var shard = ShardHarness()
        var shape = Self.shape
        shape.atLeast = shard.log.head.position.next
        _ = shard.send(shard.getFrame(["a"], [], shape))
        shard.core.headKnown(number: 1, head: shard.log.head.position)
        #expect(shard.finishWaiting().isEmpty)
        _ = shard.invalidate(.key("b"))
        #expect(shard.finishWaiting().count == 1)
    }

    @Test func aStrongReadThatLearnsNoHeadIsToldWhy() {
        var shard = ShardHarness()
        _ = shard.set("a", "one")
        _ = shard.send(shard.getFrame(["a"], [.allowStale], Self.shape))
        shard.advance(by: .milliseconds(500))
        let found = outcomes(shard.finishWaiting())
        #expect(found.map(\.status) == [.behind])
        #expect(found.map(\.detail) == [BehindReason.head.rawValue])
    }

    @Test func aStrongReadIsNeverAnsweredWithAStaleValue() {
        var shard = ShardHarness()
        _ = shard.set("soft", "one")
        _ = shard.set("suspect", "one")
        _ = shard.invalidate(.key("soft"), strength: .soft)
        _ = shard.send(shard.getFrame(["soft"], [.allowStale], Self.shape))
        shard.core.headKnown(number: 1, head: shard.log.head.position)
        #expect(outcomes(shard.finishWaiting()).map(\.status) == [.miss])

        _ = shard.send(shard.getFrame(["suspect"], [.allowStale], Self.shape))
        shard.core.headKnown(number: 2, head: shard.log.head.position)
        shard.core.setStanding(.unheard)
        let found = outcomes(shard.finishWaiting())
        #expect(found.map(\.status) == [.behind])
        #expect(found.map(\.detail) == [BehindReason.lease.rawValue])
    }

    @Test func onlyAGetCanBeFresh() {
        var shard = ShardHarness()
        let replies = shard.send(shard.setFrame("a", "one", .init(), Self.shape))
        guard case .error(let error)? = replies.first else {
            Issue.record("a store is no read")
            return
        }
        #expect(error.knownCode == .unsupported)
    }
}
