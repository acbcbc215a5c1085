import CacheLoading
import CacheModel
import Testing

@Suite struct OriginSchedulerTests {
    @Test func aLoadStartsAtOnceAndIsAnsweredWithTheReply() {
        var story = SchedulerStory()
        let asked = story.ask(1)
        let finished = story.finish(1)
        #expect(asked == ["start 1 k1 5000ms"])
        #expect(finished == ["answer 1 200"])
        #expect(story.scheduler.nextDeadline == nil)
    }

    @Test(arguments: [200, 304, 404, 410, 403, 302, 999])
    func aFinalReplyIsAnsweredWithoutARetry(status: Int) {
        var story = SchedulerStory()
        let finished = story.ask(1) + story.finish(1, status: status)
        #expect(finished.last == "answer 1 \(status)")
    }

    @Test func aNamespaceWithoutOriginIsAnsweredAtOnce() {
        var story = SchedulerStory()
        _ = story.loseOrigin()
        let asked = story.ask(1)
        #expect(asked == ["answer 1 noOrigin"])
        #expect(story.scheduler.nextDeadline == nil)
    }

    @Test func aQueuedLoadStartsWithItsRemainingTimeout() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        let asked = story.ask(1) + story.ask(2)
        let waited = story.wait(.milliseconds(1_500))
        let finished = story.finish(1)
        #expect(asked == ["start 1 k1 5000ms"])
        #expect(waited == [])
        #expect(finished == ["answer 1 200", "start 2 k2 3500ms"])
    }

    @Test func aStartedLoadTimesOutAndItsAttemptIsAborted() {
        var story = SchedulerStory { $0.timeout = .seconds(2) }
        _ = story.ask(1)
        let early = story.wait(.milliseconds(1_999))
        let late = story.wait(.milliseconds(1))
        #expect(early == [])
        #expect(late == ["abort 1", "answer 1 timedOut"])
    }

    @Test func aLoadThatNeverHadItsTurnIsOverloaded() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1, timeout: .seconds(9)) + story.ask(2, timeout: .seconds(3))
        let waited = story.wait(.seconds(3))
        #expect(waited == ["answer 2 overloaded 1000ms"])
    }

    @Test func anAbortedAttemptKeepsItsPlaceUntilItIsFinished() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1) + story.ask(2, timeout: .seconds(60))
        let waited = story.wait(.seconds(5))
        #expect(waited == ["abort 1", "answer 1 timedOut"])
        #expect(story.statistics.inFlight == 1)
        let finished = story.finish(1)
        #expect(finished == ["start 2 k2 55000ms"])
    }

    @Test func aReplyThatCrossesItsDeadlineIsStillAnswered() {
        var story = SchedulerStory()
        _ = story.ask(1)
        story.now = story.now.advanced(by: .seconds(6))
        let finished = story.finish(1)
        #expect(finished == ["answer 1 200"])
    }

    @Test func anExpiredLoadDoesNotStartEvenBeforeItsTimerFires() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1, timeout: .seconds(60)) + story.ask(2)
        story.now = story.now.advanced(by: .seconds(5))
        let finished = story.finish(1)
        #expect(finished == ["answer 1 200", "answer 2 overloaded 5000ms"])
    }

    @Test func aLoadWithoutAnyTimeIsNeverStarted() {
        var story = SchedulerStory()
        let asked = story.ask(1, timeout: .zero)
        #expect(asked == ["answer 1 overloaded 1000ms"])
    }

    @Test func aCancelledLoadIsNotAnswered() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1) + story.ask(2) + story.ask(3)
        let waiting = story.cancel(2)
        let trying = story.cancel(1)
        let unknown = story.cancel(2) + story.cancel(77)
        let finished = story.finish(1)
        #expect(waiting == [])
        #expect(trying == ["abort 1"])
        #expect(unknown == [])
        #expect(finished == ["start 2 k3 5000ms"])
        #expect(story.statistics.cancelled == 2)
    }

    @Test func anUnknownAttemptChangesNothing() {
        var story = SchedulerStory()
        _ = story.ask(1) + story.finish(1)
        let before = story.statistics
        let finished = story.finish(1) + story.finish(77)
        #expect(finished == [])
        #expect(story.statistics == before)
    }

    @Test func namespacesDoNotTouchEachOther() throws {
        var scheduler = OriginScheduler(seed: 1)
        var actions: [OriginScheduler.Action] = []
        let now = Instant(nanoseconds: 1)
        var policy = OriginPolicy(url: "http://origin.test/")
        (policy.concurrencyMax, policy.queueMax) = (1, 0)
        let names = try ["a", "b"].map { try #require(Namespace($0)) }
        scheduler.configure([names[0]: policy, names[1]: policy], now: now, into: &actions)
        let key = try #require(CacheKey("k"))
        for (number, name) in [names[0], names[0], names[1]].enumerated() {
            let request = OriginRequest(
                namespace: name, key: key, policy: policy, valueBytesMax: 1, timeout: .seconds(1))
            let ticket = LoadTicket(shard: UInt16(number), number: 1)
            scheduler.ask(
                LoadOrder(ticket: ticket, request: request, urgency: .awaited), now: now,
                into: &actions)
        }
        #expect(scheduler.statistics[names[0]]?.shed == 1)
        #expect(scheduler.statistics[names[0]]?.inFlight == 1)
        #expect(scheduler.statistics[names[1]]?.shed == 0)
        #expect(scheduler.statistics[names[1]]?.inFlight == 1)
    }

    @Test func statisticsCountEveryEndOnce() {
        var story = SchedulerStory { ($0.concurrencyMax, $0.queueMax) = (2, 1) }
        _ = story.ask(1...4)
        _ = story.finish(1) + story.cancel(2) + story.finish(2) + story.wait(.seconds(5))
        let statistics = story.statistics
        #expect(statistics.asked == 4)
        #expect(statistics.started == 3)
        #expect(statistics.answered == 1)
        #expect(statistics.cancelled == 1)
        #expect(statistics[.timedOut] == 1)
        #expect(statistics.shed == 1)
        #expect(statistics.failed == 2)
        #expect(statistics.inFlight == 1)
        #expect(statistics.waiting == 0)
    }
}
