import CacheLoading
import CacheModel
import Testing

@Suite struct OriginSchedulerOutcomesTests {
    static let worthAnother: [AttemptOutcome] = [
        .failed(.unreachable), .failed(.timedOut), .answered(status: 500), .answered(status: 503),
        .answered(status: 408), .answered(status: 425), .answered(status: 429),
    ]

    static let notWorthAnother: [AttemptOutcome] = [
        .failed(.tooLarge), .failed(.malformed), .answered(status: 200), .answered(status: 404),
        .answered(status: 401),
    ]

    @Test(arguments: worthAnother)
    func aLoadIsTriedAgainAsOftenAsItsPolicySays(outcome: AttemptOutcome) {
        var story = SchedulerStory { $0.retriesMax = 2 }
        _ = story.ask(1)
        for attempt: UInt64 in 1...2 {
            let finished = story.finish(attempt, outcome)
            let waited = story.wait(.milliseconds(100))
            #expect(finished == [])
            #expect(waited.count == 1)
            #expect(waited.first?.hasPrefix("start \(attempt + 1) k1 4") == true)
        }
        let last = story.finish(3, outcome)
        #expect(last.count == 1)
        #expect(last.first?.hasPrefix("answer 1") == true)
        #expect(story.statistics.started == 1)
        #expect(story.statistics.retried == 2)
    }

    @Test(arguments: notWorthAnother)
    func whatAnotherAttemptWouldNotBetterIsAnswered(outcome: AttemptOutcome) {
        var story = SchedulerStory()
        _ = story.ask(1)
        let finished = story.finish(1, outcome)
        #expect(finished.count == 1)
        #expect(finished.first?.hasPrefix("answer 1") == true)
    }

    @Test func aPrefetchIsNeverTriedAgainUnlessItWasHastened() {
        var story = SchedulerStory()
        _ = story.ask(1, .prefetch) + story.ask(2, .prefetch) + story.hasten(2)
        let finished = story.finish(1, status: 500) + story.finish(2, status: 500)
        #expect(finished == ["answer 1 500"])
    }

    @Test func aRetryingLoadReleasesItsSlotAndQueuesAgain() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1) + story.ask(2)
        let failed = story.finish(1, status: 500)
        let waited = story.wait(.milliseconds(99))
        let finished = story.finish(2)
        #expect(failed == ["start 2 k2 5000ms"])
        #expect(waited == [])
        #expect(finished == ["answer 2 200", "start 3 k1 4901ms"])
    }

    /// Full jitter: anything from nothing to the cap, and the cap doubles.
    @Test(arguments: UInt64(1)...20)
    func theRestIsSomewhereBelowItsCap(seed: UInt64) {
        var story = SchedulerStory(seed: seed) { ($0.retriesMax, $0.timeout) = (9, .seconds(60)) }
        _ = story.ask(1)
        for (attempt, capMilliseconds) in [50, 100, 200, 400, 800, 1_000, 1_000].enumerated() {
            _ = story.finish(UInt64(attempt) + 1, status: 408)
            let rest =
                story.scheduler.nextDeadline.map { $0.elapsed(since: story.now) } ?? .seconds(99)
            #expect(rest <= .milliseconds(capMilliseconds))
            _ = story.wait(rest)
        }
        #expect(story.statistics.retried == 7)
    }

    @Test func nodesDoNotComeBackTogether() {
        var rests: Set<Duration> = []
        for seed: UInt64 in 1...50 {
            var story = SchedulerStory(seed: seed)
            _ = story.ask(1) + story.finish(1, status: 500)
            rests.insert(story.scheduler.nextDeadline?.elapsed(since: story.now) ?? .zero)
        }
        #expect(rests.count == 50)
    }

    @Test func anOriginThatSaysWhenToComeBackIsHeard() {
        var story = SchedulerStory()
        _ = story.ask(1) + story.finish(1, .answered(status: 503, retryAfter: "2"))
        let early = story.wait(.seconds(2))
        let late = story.wait(.milliseconds(50))
        #expect(early == [])
        #expect(late.count == 1)
        #expect(late.first?.hasPrefix("start 2 k1 29") == true)
    }

    @Test(arguments: ["5", "6", "86400", "99999999999999999999"])
    func aRestThatWouldPassTheDeadlineIsNotTaken(retryAfter: String) {
        var story = SchedulerStory()
        _ = story.ask(1)
        let finished = story.finish(1, .answered(status: 429, retryAfter: retryAfter))
        #expect(finished == ["answer 1 429"])
    }

    @Test func anAnswerAsSlowAsTheyAreMustStillComeInTime() {
        var story = SchedulerStory { $0.timeout = .seconds(2) }
        _ = story.ask(1) + story.wait(.milliseconds(1_500)) + story.finish(1)
        // 1.5 seconds are typical; after 0.6 there are 1.4 left.
        _ = story.ask(2) + story.wait(.milliseconds(600))
        let finished = story.finish(2, status: 500)
        #expect(finished == ["answer 2 500"])
    }

    @Test func retriesAreATenthOfFirstAttemptsOnceTheSavingsAreSpent() {
        var story = SchedulerStory { ($0.concurrencyMax, $0.retriesMax) = (1, 1) }
        for number: UInt64 in 1...1_000 {
            _ = story.ask(number)
            // 408 opens no breaker.
            let first = UInt64(story.statistics.started + story.statistics.retried)
            _ = story.finish(first, status: 408) + story.wait(.milliseconds(60))
            let second = UInt64(story.statistics.started + story.statistics.retried)
            if second > first { _ = story.finish(second, status: 408) }
        }
        #expect(story.statistics.started == 1_000)
        #expect((100...110).contains(story.statistics.retried))
        #expect(story.statistics.answered == 1_000)
    }

    @Test func whereThereIsNoRoomToWaitALoadDoesNotRest() {
        var story = SchedulerStory { ($0.concurrencyMax, $0.queueMax) = (1, 1) }
        _ = story.ask(1) + story.ask(2)
        let finished = story.finish(1, status: 500)
        #expect(finished == ["answer 1 500", "start 2 k2 5000ms"])
    }

    @Test func aLoadThatRestsCanBeCancelledAndHastened() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1, .refresh) + story.finish(1, status: 500)
        _ = story.ask(2, .refresh) + story.finish(2, status: 500)
        _ = story.ask(3) + story.ask(4, .refresh)
        _ = story.hasten(1) + story.cancel(2) + story.wait(.milliseconds(60))
        let turns = story.finish(3...5)
        #expect(
            turns.filter { $0.hasPrefix("answer") } == [
                "answer 3 200", "answer 1 200", "answer 4 200",
            ])
    }

    @Test func aLoadThatRestedTooLongForItsDeadlineTimesOut() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1) + story.finish(1, status: 500)
        _ = story.ask(2, timeout: .seconds(60)) + story.wait(.milliseconds(4_999))
        let waited = story.wait(.milliseconds(1))
        #expect(waited == ["answer 1 timedOut"])
    }
}
