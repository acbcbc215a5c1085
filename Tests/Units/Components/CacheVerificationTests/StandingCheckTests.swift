import CacheModel
import CacheVerification
import Testing

/// Transcripts: this was in the log, nodes said that, so they are right, behind or wrong.
@Suite struct StandingCheckTests {
    typealias Story = StandingTranscript
    var story = StandingTranscript()

    @Test mutating func aSampleIsLookedAtAfterEachDelay() {
        story.hear(key: "a")
        let early = story.looks()
        #expect(early.isEmpty)
        for (index, pause) in [1, 9, 50].enumerated() {
            story.wait(.seconds(pause))
            #expect(story.check.nextDue == story.now)
            let looks = story.looks()
            #expect(looks.map(\.delayIndex) == [index])
            #expect(looks.map(\.key) == [Story.key("a")])
            _ = story.check.answered(
                looks[0], [Story.node(1): Story.absent(applied: 1)], askedAt: story.now,
                at: story.now)
        }
        #expect(story.check.openCount == 0 && story.check.nextDue == nil)
        #expect((0..<3).map { story.figures($0).right } == [1, 1, 1])
    }

    @Test(arguments: [
        (Story.absent(applied: 1), AnswerFinding.right(isShown: false)),
        (Story.answer(filled: 1, applied: 1), .right(isShown: true)),
        (Story.answer(filled: 2, applied: 2), .right(isShown: true)),
        (Story.answer(filled: 0, applied: 1, isFresh: false), .right(isShown: false)),
        (Story.answer(filled: 0, applied: 1), .wrong(.appliedAndShown)),
        (Story.answer(filled: 0, applied: 1, isUnfenced: true), .unknown),
        (Story.answer(filled: nil, applied: 1), .unknown),
        (Story.answer(filled: 0, applied: 0), .behind),
        (Story.absent(applied: 1, isInCharge: false), .beside),
    ])
    mutating func oneSecondAfterAnInvalidation(_ answer: NodeAnswer, _ finding: AnswerFinding) {
        story.hear(key: "a")
        story.wait(.seconds(1))
        let again = story.look(answer)
        #expect(again == nil)
        var expected = NodeFigures()
        switch finding {
        case .right(let isShown): expected = NodeFigures(right: 1, shown: isShown ? 1 : 0)
        case .behind: expected = NodeFigures(behind: 1)
        case .wrong: expected = NodeFigures(wrong: 1)
        case .unknown: expected = NodeFigures(unknown: 1)
        case .unanswered: expected = NodeFigures(unanswered: 1)
        case .beside: break
        }
        #expect(story.figures() == expected)
        let faults = story.check.brokenPromises.map(\.fault)
        if case .wrong(let fault) = finding {
            #expect(faults == [fault])
        } else {
            #expect(faults.isEmpty)
        }
    }

    @Test mutating func anOldAnswerIsWrongOnlyAfterACompleteReceipt() throws {
        let samples = story.hear(key: "a")
        story.check.receipt(of: samples, isComplete: false, at: story.now)
        story.wait(.seconds(1))
        let old = Story.answer(filled: 0, applied: 0)
        let again = story.look(old)
        #expect(again == nil)
        #expect(story.figures().behind == 1)

        let later = story.hear(key: "b")
        story.check.receipt(of: later, isComplete: true, at: story.now)
        story.wait(.seconds(1))
        let doubt = story.look(old)
        let second = try #require(doubt)
        #expect(second.isSecond && story.figures().wrong == 0)
        _ = story.check.answered(
            second, [Story.node(1): old], askedAt: story.now, at: story.now)
        #expect(story.check.brokenPromises.map(\.fault) == [.shownAfterReceipt])
    }

    @Test mutating func aNodeThatAppliedByTheSecondLookCountsAsRight() throws {
        let samples = story.hear(key: "a")
        story.check.receipt(of: samples, isComplete: true, at: story.now)
        story.wait(.seconds(1))
        let doubt = story.look(Story.answer(filled: 0, applied: 0))
        let second = try #require(doubt)
        _ = story.check.answered(
            second, [Story.node(1): Story.absent(applied: 1)], askedAt: story.now, at: story.now)
        #expect(story.figures() == NodeFigures(right: 1))
        #expect(story.check.brokenPromises.isEmpty)
    }

    @Test mutating func aQuestionThatLeftBeforeTheReceiptIsNotHeldAgainstIt() {
        let samples = story.hear(key: "a")
        story.wait(.seconds(1))
        let look = story.looks()[0]
        let askedAt = story.now
        story.wait(.milliseconds(1))
        story.check.receipt(of: samples, isComplete: true, at: story.now)
        let old = Story.answer(filled: 0, applied: 0)
        let second = story.check.answered(
            look, [Story.node(1): old], askedAt: askedAt, at: story.now)
        #expect(second == nil)
        #expect(story.figures().behind == 1)
    }

    @Test mutating func noLeaseLastsTenSeconds() throws {
        story.hear(key: "a")
        story.wait(.seconds(1))
        let old = Story.answer(filled: 0, applied: 0)
        let again = story.look(old)
        #expect(again == nil)
        story.wait(.seconds(9))
        let doubt = story.look(old)
        let second = try #require(doubt)
        _ = story.check.answered(second, [Story.node(1): old], askedAt: story.now, at: story.now)
        #expect(story.figures(0).behind == 1 && story.figures(1).wrong == 1)
        #expect(story.check.brokenPromises.map(\.fault) == [.shownAfterLease])
    }

    @Test mutating func aMinimumVersionSparesWhatIsNewer() {
        let scope = Scope(.key(Story.key("a").key, in: .default), minimumVersion: Version(5))
        for version in [4, 5, 6] as [UInt64] {
            story.hear(scope)
            story.wait(.seconds(1))
            _ = story.look(Story.answer(filled: 0, applied: 9, version: version))
        }
        #expect(story.figures() == NodeFigures(wrong: 1))
    }

    @Test mutating func aTagIsHeldAgainstWhatStillCarriesIt() throws {
        let tag = try #require(Tag("t"))
        story.check.learn(Story.key("a"), tags: [tag])
        story.check.learn(Story.key("b"), tags: [])
        story.hear(Scope(.tag(tag, in: .default)))
        story.wait(.seconds(1))
        let looks = story.looks()
        #expect(looks.map(\.key) == [Story.key("a")])
        let untagged = Story.answer(filled: 0, applied: 1)
        _ = story.check.answered(
            looks[0], [Story.node(1): untagged], askedAt: story.now, at: story.now)
        #expect(story.figures() == NodeFigures())

        story.check.learn(Story.key("a"), tags: [tag])
        story.hear(Scope(.tag(tag, in: .default)))
        story.wait(.seconds(1))
        _ = story.look(Story.tagged(tag, Story.answer(filled: 0, applied: 2)))
        #expect(story.figures() == NodeFigures(wrong: 1))
    }

    @Test mutating func whatIsWideIsSampledByKeysThatWereSeen() throws {
        let images = try #require(Namespace("images"))
        story.hear(Scope(.everything))
        #expect(story.check.tally.wideUnsampledCount == 1)
        for name in ["ab", "ac", "b"] { story.check.learn(Story.key(name), tags: []) }
        story.check.learn(Story.key("ab", in: images), tags: [])
        story.hear(Scope(.prefix(Array("a".utf8), in: .default)))
        story.hear(Scope(.namespace(images)))
        story.hear(Scope(.everything))
        story.wait(.seconds(1))
        let keys = story.looks().map(\.key)
        #expect(Set(keys[0..<2]) == [Story.key("ab"), Story.key("ac")])
        #expect(keys[2] == Story.key("ab", in: images))
        #expect(keys.count == 7 && story.check.tally.wideCount == 4)
    }

    @Test mutating func versionsThatDifferAreLookedAtTwiceAndThenCounted() throws {
        story.hear(key: "a")
        story.wait(.seconds(1))
        let answers: [NodeID: NodeAnswer?] = [
            Story.node(1): Story.answer(filled: 1, applied: 1, version: 7),
            Story.node(2): Story.answer(filled: 1, applied: 1, version: 8), Story.node(3): nil,
        ]
        let look = story.looks()[0]
        let doubt = story.check.answered(look, answers, askedAt: story.now, at: story.now)
        let second = try #require(doubt)
        let third = story.check.answered(second, answers, askedAt: story.now, at: story.now)
        #expect(third == nil)
        #expect(story.check.tally.differingCount == 1 && story.check.brokenPromises.isEmpty)
        #expect(story.figures(0, 3) == NodeFigures(unanswered: 1))
    }

    /// One node of three was behind, and had caught up when it was asked again.
    @Test mutating func aNodeBehindAtTheFirstLookCountsAsBehind() throws {
        story.hear(key: "a")
        story.wait(.seconds(1))
        let look = story.looks()[0]
        let old = Story.answer(filled: 0, applied: 0, version: 7)
        let new = Story.answer(filled: 1, applied: 1, version: 8)
        let doubt = story.check.answered(
            look, [Story.node(1): old, Story.node(2): new], askedAt: story.now, at: story.now)
        let second = try #require(doubt)
        _ = story.check.answered(
            second, [Story.node(1): new, Story.node(2): new], askedAt: story.now, at: story.now)
        #expect(story.figures(0, 1) == NodeFigures(behind: 1))
        #expect(story.figures(0, 2) == NodeFigures(right: 1, shown: 1))
        #expect(story.check.tally.differingCount == 0, "only twice in a row counts")
    }

    /// The first look was doubted for another reason.
    @Test mutating func versionsThatDifferOnceAreNotCounted() throws {
        let samples = story.hear(key: "a")
        story.check.receipt(of: samples, isComplete: true, at: story.now)
        story.wait(.seconds(1))
        let doubt = story.look(Story.answer(filled: 0, applied: 0))
        let second = try #require(doubt)
        let answers: [NodeID: NodeAnswer?] = [
            Story.node(1): Story.answer(filled: 1, applied: 1, version: 7),
            Story.node(2): Story.answer(filled: 1, applied: 1, version: 8),
        ]
        _ = story.check.answered(second, answers, askedAt: story.now, at: story.now)
        #expect(story.check.tally.differingCount == 0)
        #expect(story.figures(0, 1) == NodeFigures(right: 1, shown: 1))
    }

    @Test(arguments: [true, false])
    mutating func whatNothingAllowsCountsAtWhicheverLookItWasSeen(isAtFirst: Bool) throws {
        story.hear(key: "a")
        story.wait(.seconds(1))
        let look = story.looks()[0]
        let wrong = Story.answer(filled: 0, applied: 1, version: 7)
        let new = Story.answer(filled: 1, applied: 1, version: 8)
        let other = Story.answer(filled: 1, applied: 1, version: 9)
        let one: [NodeID: NodeAnswer?] = [Story.node(1): wrong, Story.node(2): new]
        let two: [NodeID: NodeAnswer?] = [Story.node(1): other, Story.node(2): new]
        let askedAt = story.now
        let doubt = story.check.answered(
            look, isAtFirst ? one : two, askedAt: askedAt, at: story.now)
        let second = try #require(doubt)
        story.wait(.milliseconds(5))
        _ = story.check.answered(
            second, isAtFirst ? two : one, askedAt: story.now, at: story.now)
        #expect(story.figures(0, 1) == NodeFigures(wrong: 1))
        let broken = try #require(story.check.brokenPromises.first)
        #expect(broken.fault == .appliedAndShown)
        #expect(broken.delay == (isAtFirst ? .seconds(1) : .milliseconds(1_005)))
        #expect(story.check.tally.differingCount == 1)
    }

    /// A receipt that comes between two looks makes the second one the first of its kind.
    @Test mutating func anOldValueSeenOnceAfterAReceiptIsNoViolation() throws {
        let samples = story.hear(key: "a")
        story.wait(.seconds(1))
        let look = story.looks()[0]
        let old = Story.answer(filled: 0, applied: 0, version: 7)
        let answers: [NodeID: NodeAnswer?] = [
            Story.node(1): old, Story.node(2): Story.answer(filled: 1, applied: 1, version: 8),
        ]
        let doubt = story.check.answered(look, answers, askedAt: story.now, at: story.now)
        let second = try #require(doubt)
        story.check.receipt(of: samples, isComplete: true, at: story.now)
        story.wait(.milliseconds(1))
        _ = story.check.answered(second, answers, askedAt: story.now, at: story.now)
        #expect(story.figures(0, 1) == NodeFigures(behind: 1))
        #expect(story.check.brokenPromises.isEmpty)
    }

    @Test mutating func aPartOfTheLogThatIsLostTakesItsSamplesAlong() {
        story.hear(key: "a")
        story.check.lostPlace()
        story.wait(.seconds(100))
        let looks = story.looks()
        #expect(looks.isEmpty && story.check.openCount == 0)
        #expect(story.check.tally.doubtfulCount == 1)
    }

    @Test mutating func theHistoryTellsWhatWasSeenInOrder() throws {
        let samples = story.hear(key: "a")
        story.wait(.milliseconds(250))
        story.check.receipt(of: samples, isComplete: true, at: story.now)
        story.hear(key: "a")
        story.wait(.milliseconds(750))
        _ = story.look(Story.answer(filled: 0, applied: 2, version: 9))
        let broken = try #require(story.check.brokenPromises.first)
        #expect(
            broken.history == [
                "+0.000 ms  invalidated at 1:1 by key a",
                "+250.000 ms  receipt: all nodes reached",
                "+250.000 ms  invalidated at 1:2 by key a",
                "+1000.000 ms  n1: fresh, applied 1:2, filled at 1:0, version 9, stored "
                    + "5000.000 ms earlier; WRONG: the node says that it applied the invalidation, "
                    + "and shows an older value as fresh",
            ])
        #expect(broken.delay == .seconds(1) && broken.node == Story.node(1))
    }
}
