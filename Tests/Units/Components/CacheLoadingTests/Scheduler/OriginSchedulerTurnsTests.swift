import CacheLoading
import CacheModel
import Testing

@Suite struct OriginSchedulerTurnsTests {
    @Test func readersGoFirstThenRefreshesThenPrefetches() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1)
        _ = story.ask(2, .prefetch) + story.ask(3, .refresh) + story.ask(4) + story.ask(5)
        let turns = (1...4).flatMap { story.finish($0) }
        #expect(
            turns == [
                "answer 1 200", "start 2 k4 5000ms", "answer 4 200", "start 3 k5 5000ms",
                "answer 5 200", "start 4 k3 5000ms", "answer 3 200", "start 5 k2 5000ms",
            ])
    }

    /// By limit: how many of as many loads of one kind start.
    @Test(arguments: [
        (1, 1, 1), (2, 1, 1), (3, 2, 1), (4, 2, 1), (5, 3, 2), (8, 4, 2), (9, 5, 3), (64, 32, 16),
    ])
    func refreshesAndPrefetchesTakeOnlyAPart(limit: Int, refreshes: Int, prefetches: Int) {
        var story = SchedulerStory { $0.concurrencyMax = limit }
        let refreshed = story.ask(1...100, .refresh)
        #expect(refreshed.count == refreshes)
        var other = SchedulerStory { $0.concurrencyMax = limit }
        let prefetched = other.ask(1...100, .prefetch)
        #expect(prefetched.count == prefetches)
    }

    @Test func refreshesAndPrefetchesShareTheirPart() {
        var story = SchedulerStory { $0.concurrencyMax = 8 }
        let prefetched = story.ask(1...9, .prefetch)
        let refreshed = story.ask(10...19, .refresh)
        let awaited = story.ask(20...29)
        #expect(prefetched.count == 2)
        #expect(refreshed.count == 2)
        #expect(awaited.count == 4)
    }

    @Test func aPrefetchThatReadersWaitForGoesAhead() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1) + story.ask(2, .prefetch) + story.ask(3, .refresh)
        let hastened = story.hasten(2)
        let finished = story.finish(1)
        #expect(hastened == [])
        #expect(finished == ["answer 1 200", "start 2 k2 5000ms"])
    }

    @Test func aPrefetchUnderWayThatIsHastenedGivesItsShareBack() {
        var story = SchedulerStory { $0.concurrencyMax = 4 }
        let asked = story.ask(1, .prefetch) + story.ask(2, .prefetch)
        let hastened = story.hasten(1)
        #expect(asked == ["start 1 k1 5000ms"])
        #expect(hastened == ["start 2 k2 5000ms"])
    }

    @Test func nothingBecomesLessUrgent() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1) + story.ask(2) + story.ask(3)
        _ = story.hasten(2, to: .prefetch) + story.hasten(99)
        let finished = story.finish(1)
        #expect(finished.last == "start 2 k2 5000ms")
    }

    @Test func aFullQueueSendsTheNewestReaderAway() {
        var story = SchedulerStory { ($0.concurrencyMax, $0.queueMax) = (1, 2) }
        let asked = story.ask(1...4)
        #expect(asked == ["start 1 k1 5000ms", "answer 4 overloaded 1000ms"])
    }

    @Test func readersPushOutPrefetchesThenRefreshesTheNewestFirst() {
        var story = SchedulerStory { ($0.concurrencyMax, $0.queueMax) = (1, 4) }
        _ = story.ask(1)
        _ = story.ask(2...3, .refresh)
        _ = story.ask(4...5, .prefetch)
        let pushed = story.ask(6...10)
        #expect(
            pushed == [5, 4, 3, 2, 10].map { "answer \($0) overloaded 1000ms" })
    }

    @Test func aPrefetchDisplacesNoLoadAndARefreshDisplacesAPrefetch() {
        var story = SchedulerStory { ($0.concurrencyMax, $0.queueMax) = (1, 1) }
        _ = story.ask(1) + story.ask(2, .prefetch)
        let prefetch = story.ask(3, .prefetch)
        let refresh = story.ask(4, .refresh)
        #expect(prefetch == ["answer 3 overloaded 1000ms"])
        #expect(refresh == ["answer 2 overloaded 1000ms"])
    }

    @Test func withoutAQueueWhatCannotStartIsSentAway() {
        var story = SchedulerStory { ($0.concurrencyMax, $0.queueMax) = (2, 0) }
        let asked = story.ask(1...3)
        #expect(asked.last == "answer 3 overloaded 1000ms")
        #expect(asked.count == 3)
    }

    @Test func anOverloadedReplyCarriesTheExpectedQueueTime() {
        var story = SchedulerStory { ($0.concurrencyMax, $0.queueMax) = (2, 9) }
        _ = story.ask(1) + story.wait(.milliseconds(500)) + story.finish(1)
        // Two at a time, half a second each: nine that wait, and the one that asks.
        let asked = story.ask(2...12) + story.ask(13)
        #expect(asked.last == "answer 13 overloaded 2500ms")
    }

    @Test func theOldestGoesFirstWhileTheQueueMoves() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1...3) + story.wait(.milliseconds(100))
        let finished = story.finish(1)
        #expect(finished.last == "start 2 k2 4900ms")
    }

    @Test func onceAReaderHasWaitedTooLongTheNewestGoesFirst() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1...3) + story.wait(.milliseconds(101)) + story.ask(4)
        let turns = story.finish(1...4)
        #expect(
            turns == [
                "answer 1 200", "start 2 k4 5000ms", "answer 4 200", "start 3 k3 4899ms",
                "answer 3 200", "start 4 k2 4899ms", "answer 2 200",
            ])
    }

    @Test func aShortTimeoutTurnsTheQueueEarlier() {
        var story = SchedulerStory { ($0.concurrencyMax, $0.timeout) = (1, .milliseconds(80)) }
        _ = story.ask(1...3) + story.wait(.milliseconds(21)) + story.ask(4)
        let finished = story.finish(1)
        #expect(finished.last == "start 2 k4 80ms")
    }

    @Test func refreshesKeepTheirOrderHoweverLongTheyWait() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1) + story.ask(2, .refresh) + story.ask(3, .refresh)
        _ = story.wait(.seconds(1))
        let finished = story.finish(1)
        #expect(finished.last == "start 2 k2 4000ms")
    }

    @Test func aLoadWithTooLittleTimeLeftIsNotStarted() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1) + story.wait(.milliseconds(100)) + story.finish(1)
        // Answers take a tenth of a second. The oldest has less than two of them left.
        _ = story.ask(2) + story.ask(3, .refresh)
        _ = story.wait(.milliseconds(2_000)) + story.ask(4, .refresh)
        _ = story.wait(.milliseconds(2_801))
        let turn = story.cancel(2) + story.finish(2)
        #expect(turn == ["abort 2", "answer 3 overloaded 200ms", "start 3 k4 2199ms"])
        #expect(story.statistics[.overloaded] == 1)
    }

    @Test func aLoadThatAnAnswerStillReachesHasItsTurn() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1) + story.wait(.milliseconds(100)) + story.finish(1)
        _ = story.ask(2) + story.ask(3, .refresh) + story.wait(.milliseconds(4_800))
        let turn = story.cancel(2) + story.finish(2)
        #expect(turn.last == "start 3 k3 200ms")
    }

    @Test func aLoadWithMostTimeLeftStartsDespiteSlowAnswers() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1) + story.wait(.milliseconds(4_900)) + story.finish(1)
        _ = story.ask(2) + story.ask(3) + story.wait(.milliseconds(2_500))
        let turn = story.cancel(2) + story.finish(2)
        #expect(turn == ["abort 2", "start 3 k3 2500ms"])
    }

    @Test func theLimitShrinksOnceForOneJamAndNeverStartsAboveIt() {
        var story = SchedulerStory { ($0.concurrencyMax, $0.retriesMax) = (10, 0) }
        _ = story.ask(1...30)
        let jammed = story.finish(1...4, .answered(status: 429))
        #expect(story.statistics.limit == 7)
        #expect(jammed.count { $0.hasPrefix("start") } == 1)
        #expect(story.statistics.inFlight == 7)
    }
}
