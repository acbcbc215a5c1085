import CacheModel
import Testing

@testable import CacheLoading

/// Transcripts: accepted writes whose keys get another owner. docs/decisions/0122.
@Suite struct WriteForwardingTests {
    private static let down = WriteVerdict.down(.unreachable, retryAfter: nil)

    private static func node(_ name: String) -> NodeID {
        guard let id = NodeID(name) else { preconditionFailure("names of tests are names") }
        return id
    }

    private static func at(_ sequence: UInt64) -> LogPosition { WriteStory.position(sequence) }

    /// Writes of one key, accepted when the shard had applied those positions.
    private static func accepted(_ positions: [UInt64]) -> WriteStory {
        var story = WriteStory()
        for (index, position) in positions.enumerated() {
            _ = story.asks("a", "\(index + 1)", since: position)
            if index == 0 { _ = story.attempt(1, down) }
            _ = story.journaled(UInt64(index) + 1)
        }
        return story
    }

    private static func route(
        _ story: inout WriteStory, _ choice: @escaping WriteRoute.Choice
    ) -> [String] {
        story.tell { $0.ownersChanged(choice, now: $2, into: &$1) }
    }

    private static func end(
        _ story: inout WriteStory, _ number: UInt64, _ outcome: WriteForwardOutcome,
        to name: String = "n2"
    ) -> [String] {
        let forward = WriteForward(
            WriteNumber(number), to: node(name), WriteStory.write("a", nil), ownedSince: nil)
        return story.tell { $0.forwardEnded(forward, outcome, now: $2, into: &$1) }
    }

    @Test func acceptedWritesGoToTheNewOwnerInTheirOrder() {
        var story = Self.accepted([4, 6])
        #expect(
            Self.route(&story) { .node(Self.node("n2"), ownedSince: $1) }
                == ["forward 1 a=1 to n2 from 4"])
        #expect(
            Self.end(&story, 1, .accepted) == ["forward 2 a=2 to n2 from 6", "append 3: 1 done"])
        #expect(Self.end(&story, 2, .accepted) == ["release a at 0", "append 4: 2 done"])
        #expect(story.queue.depth == (0, 0) && story.queue.bytes == 0)
        #expect(story.queue.statistics.forwarded == 2)
    }

    @Test func anOwnerThatDoesNotAnswerIsTriedAgainLaterAndLaterStill() {
        var story = Self.accepted([4])
        _ = Self.route(&story) { .node(Self.node("n2"), ownedSince: $1) }
        #expect(Self.end(&story, 1, .failed(.timedOut)).isEmpty)
        #expect(story.passes(.milliseconds(60)).isEmpty)
        #expect(story.passes(.milliseconds(70)) == ["forward 1 a=1 to n2 from 4"])
        #expect(Self.end(&story, 1, .failed(.timedOut)).isEmpty)
        #expect(story.passes(.milliseconds(130)).isEmpty)
        // Other owners are tried at once.
        #expect(
            Self.route(&story) { .node(Self.node("n3"), ownedSince: $1) }
                == ["forward 1 a=1 to n3 from 4"])
    }

    @Test func aWriteThatIsOvertakenIsSetAsideAndTheNextGoesOn() {
        var story = Self.accepted([4, 6])
        _ = Self.route(&story) { .node(Self.node("n2"), ownedSince: $1) }
        #expect(
            Self.end(&story, 1, .overtaken)
                == ["forward 2 a=2 to n2 from 6", "append 3: 1 rejected 1"])
        #expect(story.queue.depth == (1, 1))
        #expect(story.queue.statistics.overtaken == 1)
    }

    /// An operator wants it all the same.
    @Test func aWriteThatWasSetAsideIsForwardedWithoutAConditionIfItIsRetried() {
        var story = Self.accepted([4])
        _ = Self.route(&story) { .node(Self.node("n2"), ownedSince: $1) }
        _ = Self.end(&story, 1, .overtaken)
        _ = story.tell {
            _ = $0.retry(
                where: { _ in true }, named: { OperationID(high: 9, low: $0) }, now: $2, into: &$1)
        }
        #expect(story.journaled(3) == ["hold a", "forward 2 a=1 to n2 from ever"])
    }

    @Test func whatMayBeOlderThanAWriteOfAnotherNodeIsSetAside() {
        var story = Self.accepted([4, 6, 9])
        #expect(
            Self.route(&story) { ($1 ?? .none) < Self.at(8) ? .aside : .origin }
                == ["append 4: 1 rejected 1, 2 rejected 1"])
        #expect(story.passes(.seconds(2)) == ["replay 3 a=3"])
        #expect(story.queue.depth == (1, 2))
    }

    @Test func nothingIsSentAnywhereWhileTheOwnerIsUnknown() {
        var story = Self.accepted([4])
        #expect(Self.route(&story) { _, _ in .unknown }.isEmpty)
        #expect(story.passes(.seconds(60)).isEmpty)
        #expect(Self.route(&story) { _, _ in .origin } == ["replay 1 a=1"])
    }

    @Test func whatIsUnderWayAtTheOriginEndsThere() {
        var story = Self.accepted([4, 6])
        #expect(story.passes(.seconds(2)) == ["replay 1 a=1"])
        #expect(Self.route(&story) { .node(Self.node("n2"), ownedSince: $1) }.isEmpty)
        #expect(story.attempt(1, .taken) == ["publish 1 a"])
        #expect(
            story.published(1, at: 20) == ["forward 2 a=2 to n2 from 6", "append 3: 1 done"])
    }

    @Test func whatFailsAtTheOriginAfterAMoveDoesNotWaitForTheOrigin() {
        var story = Self.accepted([4])
        #expect(story.passes(.seconds(2)) == ["replay 1 a=1"])
        #expect(Self.route(&story) { .node(Self.node("n2"), ownedSince: $1) }.isEmpty)
        #expect(story.attempt(1, Self.down) == ["forward 1 a=1 to n2 from 4"])
    }

    /// It cannot be accepted, and its origin takes it.
    @Test func withoutAJournalAWriteBehindAnotherGoesOnWhileTheOwnerIsUnknown() {
        var story = WriteStory(hasJournal: false)
        _ = Self.route(&story) { _, _ in .unknown }
        #expect(story.asks("a", "1", since: 4) == ["try 1 a=1"])
        #expect(story.asks("a", "2", since: 4).isEmpty)
        _ = story.attempt(1, .taken)
        #expect(story.published(1, at: 9) == ["answer 1 taken at 9", "try 2 a=2"])
    }

    /// What its client waits for is accepted first, if another node owns the key by then.
    @Test func aWriteBehindOneThatIsUnderWayDoesNotGoToTheOriginAnyMore() {
        var story = WriteStory()
        _ = story.asks("a", "1", since: 4)
        #expect(story.asks("a", "2", since: 4).isEmpty)
        _ = Self.route(&story) { .node(Self.node("n2"), ownedSince: $1) }
        _ = story.attempt(1, .taken)
        #expect(story.published(1, at: 9) == ["answer 1 taken at 9", "append 1: 2 a=2, 2 from 4"])
        #expect(
            story.journaled(1) == ["hold a", "answer 2 queued", "forward 2 a=2 to n2 from 4"])
    }

    @Test func thePositionOfAWriteIsInTheJournal() throws {
        var story = WriteStory()
        _ = story.asks("a", "1", since: 4)
        #expect(story.attempt(1, Self.down) == ["append 1: 1 a=1, 1 from 4"])
        let records: [JournalRecord] = [
            .write(WriteNumber(1), WriteStory.write("a", "1"), at: 1_001),
            .owned(WriteNumber(1), Self.at(4)),
        ]
        var writer = JournalWriter()
        let journal = try RecoveredJournal(writer.whole(records, salt: .sample))
        #expect(journal.records == records)
        var again = WriteStory()
        _ = Self.route(&again) { .node(Self.node("n2"), ownedSince: $1) }
        #expect(
            again.tell { $0.restore(journal, now: $2, into: &$1) }
                == ["hold a", "forward 1 a=1 to n2 from 4"])
    }

    // MARK: At the owner

    private static let known = ForwardedWrite.following(ownedSince: at(9), coveredAt: nil)

    @Test func aForwardedWriteIsTakenLikeAClients() {
        var story = WriteStory()
        #expect(story.asks("a", "1", since: 9, forwarded: Self.known) == ["try 1 a=1"])
        #expect(story.attempt(1, Self.down) == ["append 1: 1 a=1, 1 from 9"])
        #expect(story.journaled(1) == ["hold a", "answer 1 queued"])
    }

    @Test func aForwardedWriteIsRefusedIfAThirdNodeMayHaveWrittenTheKey() {
        var story = WriteStory()
        #expect(story.asks("a", "1", since: 9, forwarded: .stale) == ["answer 1 overtaken"])
        #expect(story.asks("a", "1", since: 9, forwarded: .unconditional) == ["try 1 a=1"])
    }

    @Test func aForwardedWriteIsRefusedIfThisNodeHasOneOfItsOwn() {
        var story = WriteStory()
        _ = story.asks("a", "2", since: 9)
        #expect(story.asks("a", "1", since: 9, forwarded: Self.known) == ["answer 2 overtaken"])
        _ = story.attempt(1, .taken)
        _ = story.published(1, at: 12)
        #expect(story.asks("a", "1", since: 9, forwarded: Self.known) == ["answer 3 overtaken"])
        // Written here, and then the key was another node's.
        let later = ForwardedWrite.following(ownedSince: Self.at(20), coveredAt: nil)
        #expect(story.asks("a", "1", since: 20, forwarded: later) == ["try 2 a=1"])
    }

    /// An operator has it written over the newer one.
    @Test func whatAnOperatorRetriesIsTakenAfterAWriteOfThisNode() {
        var story = WriteStory()
        _ = story.asks("a", "2", since: 9)
        _ = story.attempt(1, .taken)
        _ = story.published(1, at: 12)
        #expect(story.asks("a", "1", since: 9, forwarded: .unconditional) == ["try 2 a=1"])
    }

    /// The other node's earlier answer may be on its way, and ends this node's copy.
    @Test func aWriteThatThisNodeForwardsIsNotItsOwnForGood() {
        var story = Self.accepted([4])
        _ = Self.route(&story) { .node(Self.node("n2"), ownedSince: $1) }
        #expect(
            story.asks("a", "1", since: 9, forwarded: Self.known, name: 1)
                == ["answer 2 undecided"])
        #expect(Self.end(&story, 1, .accepted) == ["release a at 0", "append 2: 1 done"])
        #expect(
            story.asks("a", "1", since: 9, forwarded: Self.known, name: 1)
                == ["append 3: 2 a=1, 2 from 9"], "it is taken, behind an origin that rests")
    }

    @Test func anOwnWriteOfAnEarlierOwnershipIsNotNewer() {
        var story = WriteStory()
        _ = story.asks("a", "1", since: 4)
        #expect(
            story.asks("a", "2", since: 9, forwarded: Self.known, name: 70).isEmpty,
            "it waits for the one under way")
    }

    @Test func whatEndedIsKnownByItsKeyToo() {
        var story = WriteStory()
        _ = story.asks("a", "1", since: 9, forwarded: Self.known, name: 77)
        _ = story.attempt(1, .taken)
        _ = story.published(1, at: 10)
        #expect(story.asks("b", "1", since: 9, forwarded: Self.known, name: 77) == ["try 2 b=1"])
    }

    @Test func whatIsRenewedIsInTheJournal() {
        var story = Self.accepted([4, 6])
        #expect(
            story.tell { queue, actions, _ in
                queue.renew({ $1 == Self.at(4) ? Self.at(20) : nil }, into: &actions)
            } == ["append 3: 1 from 20"])
        #expect(
            Self.route(&story) { .node(Self.node("n2"), ownedSince: $1) }
                == ["forward 1 a=1 to n2 from 20"])
    }

    @Test func anOperatorsRetryIsOneAfterARestartToo() throws {
        let records: [JournalRecord] = [
            .write(WriteNumber(1), WriteStory.write("a", "1"), at: 1_001),
            .owned(WriteNumber(1), .beyondAll),
        ]
        var writer = JournalWriter()
        let journal = try RecoveredJournal(writer.whole(records, salt: .sample))
        #expect(journal.records == records)
        var story = WriteStory()
        _ = Self.route(&story) { .node(Self.node("n2"), ownedSince: $1) }
        #expect(
            story.tell { $0.restore(journal, now: $2, into: &$1) }
                == ["hold a", "forward 1 a=1 to n2 from ever"])
    }

    /// However often the owners change while an origin is away.
    @Test func whatIsReadyIsReadyOnce() {
        var story = Self.accepted([4])
        for _ in 0..<5 { _ = Self.route(&story) { _, _ in .origin } }
        #expect(story.passes(.seconds(2)) == ["replay 1 a=1"])
        #expect(story.queue.namespaces.values.allSatisfy { !$0.hasReady })
    }

    @Test func theNextWriteOfTheSameNodeFollows() {
        var story = WriteStory()
        _ = story.asks("a", "1", since: 9, forwarded: Self.known)
        _ = story.attempt(1, .taken)
        #expect(story.published(1, at: 10) == ["answer 1 taken at 10"])
        #expect(story.asks("a", "2", since: 9, forwarded: Self.known) == ["try 2 a=2"])
    }

    @Test func aForwardedWriteThatComesTwiceIsQueuedOnce() {
        var story = WriteStory()
        _ = story.asks("a", "1", since: 9, forwarded: Self.known, name: 77)
        #expect(
            story.asks("a", "1", since: 9, forwarded: Self.known, name: 77)
                == ["answer 2 undecided"])
        _ = story.attempt(1, Self.down)
        _ = story.journaled(1)
        #expect(
            story.asks("a", "1", since: 9, forwarded: Self.known, name: 77) == ["answer 3 queued"])
        _ = story.passes(.seconds(2))
        _ = story.attempt(1, .taken)
        _ = story.published(1, at: 10)
        #expect(
            story.asks("a", "1", since: 9, forwarded: Self.known, name: 77) == ["answer 4 queued"])
    }
}
