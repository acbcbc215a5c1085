import CacheModel
import CacheVerification
import Testing

/// What is sampled, what is left out, and that nothing grows without end.
@Suite struct StandingBoundsTests {
    typealias Story = StandingTranscript

    static func sampled(_ change: (inout StandingPlan) -> Void) -> Set<LogPosition> {
        var story = Story(change)
        for number in 0..<1_000 { story.hear(key: "k\(number)") }
        story.wait(.seconds(1))
        return Set(story.check.takeDue(at: story.now, limit: 2_000).map(\.position))
    }

    @Test func twoPartsTakeEverythingBetweenThemAndNothingTwice() {
        let parts = (1...3).map { part in
            Self.sampled {
                $0.amount = .share(1)
                $0.part = part
                $0.parts = 3
                $0.seed = 7
            }
        }
        #expect(parts.map(\.count).reduce(0, +) == 1_000)
        #expect(Set(parts.flatMap { $0 }).count == 1_000)
        #expect(parts.allSatisfy { (250...420).contains($0.count) })
    }

    @Test func aShareIsTakenByTheSeed() {
        let tenth: (UInt64) -> Set<LogPosition> = { seed in
            Self.sampled {
                $0.amount = .share(0.1)
                $0.seed = seed
            }
        }
        #expect((60...140).contains(tenth(1).count))
        #expect(tenth(1) == tenth(1) && tenth(1) != tenth(2))
    }

    @Test func aRateBoundsWhatIsTakenInASecond() {
        var story = Story { $0.amount = .perSecond(10) }
        for _ in 0..<3 {
            for number in 0..<50 { story.hear(key: "k\(number)") }
            story.wait(.seconds(1))
        }
        #expect(story.check.tally.sampledCount == 30)
        #expect(story.check.tally.leftOutCount == 120)
    }

    @Test func onlyTheNamespaceThatIsWanted() throws {
        let images = try #require(Namespace("images"))
        var story = Story { $0.namespace = images }
        story.hear(key: "a")
        story.hear(Scope(.key(Story.key("a").key, in: images)))
        #expect(story.check.tally.sampledCount == 1 && story.check.tally.keyCount == 1)
    }

    @Test func whatFindsNoRoomIsCounted() {
        var story = Story { $0.amount = .share(1) }
        for number in 0..<(StandingLimits.openSamplesMax + 10) { story.hear(key: "k\(number)") }
        #expect(story.check.openCount == StandingLimits.openSamplesMax)
        #expect(story.check.tally.noRoomCount == 10)
        #expect(story.check.seenKeyCount == StandingLimits.seenKeysMax)
    }

    /// However many samples are new, the old ones are looked at, too.
    @Test func eachDelayIsServedInTurn() {
        var story = Story { $0.amount = .share(1) }
        story.hear(key: "old")
        story.wait(.seconds(1))
        _ = story.look(Story.absent(applied: 1))
        for number in 0..<10 { story.hear(key: "k\(number)") }
        story.wait(.seconds(9))
        let delays = (0..<3).flatMap { _ in
            story.check.takeDue(at: story.now, limit: 1).map(\.delayIndex)
        }
        #expect(delays.sorted() == [0, 0, 1])
        let rest = story.check.takeDue(at: story.now, limit: 100)
        #expect(rest.count == 8, "each was taken once")
    }

    @Test func howLateALookWasIsKnown() throws {
        var story = Story { $0.amount = .share(1) }
        #expect(story.check.lateness.map(\.lookCount) == [0, 0, 0])
        #expect(story.check.lateness[0].mean == nil)
        for pause in [1_000, 1_400] {
            story.hear(key: "a")
            story.wait(.milliseconds(pause))
            _ = story.look(Story.absent(applied: 9))
        }
        let lateness = story.check.lateness
        #expect(lateness.map(\.lookCount) == [2, 0, 0])
        #expect(lateness[0].most == .milliseconds(400))
        #expect(lateness[0].mean == .milliseconds(200))
    }

    @Test func aHistoryKeepsItsBeginningAndItsEnd() throws {
        var story = Story { $0.amount = .share(1) }
        story.hear(key: "a")
        for _ in 0..<200 { story.hear(key: "a") }
        story.wait(.seconds(1))
        _ = story.look(Story.answer(filled: 0, applied: 500))
        let history = try #require(story.check.brokenPromises.first).history
        #expect(history.count == StandingLimits.eventsPerSampleMax + 1)
        #expect(history.first?.hasSuffix("invalidated at 1:1 by key a") == true)
        #expect(history.last?.contains("WRONG") == true)
    }

    @Test func manyViolationsAreCountedAndTheFirstKept() {
        var story = Story { $0.amount = .share(1) }
        for number in 0..<100 { story.hear(key: "k\(number)") }
        story.wait(.seconds(1))
        for look in story.looks() {
            let answers = [Story.node(1): Story.answer(filled: 0, applied: 500)]
            _ = story.check.answered(look, answers, askedAt: story.now, at: story.now)
        }
        #expect(story.check.tally.wrongCount == 100)
        #expect(story.check.brokenPromises.count == StandingLimits.violationsKept)
    }

    @Test(arguments: [
        (0, 0, "–"), (0, 3, ">0.0"), (0, 30, ">1.0"), (0, 30_000, ">4.0"), (1, 10, "1.0"),
        (1, 10_000, "4.0"), (2, 10_000, "3.6"), (1, 1, "0.0"), (5, 10, "0.3"),
        (1, 1_000_000_000, "9.0"),
    ])
    func oneBadOfTenThousandIsFourNines(bad: Int, count: Int, text: String) {
        #expect(Nines(bad: bad, of: count).description == text)
    }
}
