import CacheLoading
import CacheModel
import Testing

@Suite struct OriginSchedulerPoliciesTests {
    @Test func removingAnOriginAnswersQueuedLoadsAndAwaitsRunningOnes() {
        var story = SchedulerStory { $0.concurrencyMax = 2 }
        _ = story.ask(1...2) + story.finish(1, status: 500) + story.ask(3...5)
        let lost = story.loseOrigin()
        #expect(lost == ["answer 4 noOrigin", "answer 5 noOrigin", "answer 1 noOrigin"])
        let asked = story.ask(6)
        #expect(asked == ["answer 6 noOrigin"])
        // No retry any more, and the gate goes with the last attempt.
        let finished = story.finish(2, status: 500) + story.finish(3)
        #expect(finished == ["answer 2 500", "answer 3 200"])
        #expect(story.scheduler.statistics.isEmpty)
    }

    @Test func anOriginThatComesBackCountsWhatIsStillUnderWay() {
        var story = SchedulerStory { $0.concurrencyMax = 2 }
        _ = story.ask(1...2) + story.loseOrigin()
        let back = story.configure()
        let asked = story.ask(3)
        let finished = story.finish(1)
        #expect(back == [])
        #expect(asked == [])
        #expect(finished == ["answer 1 200", "start 3 k3 5000ms"])
    }

    @Test func moreRoomIsUsedAtOnce() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1...4)
        let configured = story.configure { $0.concurrencyMax = 3 }
        #expect(configured == ["start 2 k2 5000ms", "start 3 k3 5000ms"])
    }

    @Test func lessRoomHoldsForTheNextAttempt() {
        var story = SchedulerStory { $0.concurrencyMax = 4 }
        _ = story.ask(1...6) + story.configure { $0.concurrencyMax = 2 }
        let turns = story.finish(1...3)
        #expect(
            turns == ["answer 1 200", "answer 2 200", "answer 3 200", "start 5 k5 5000ms"])
    }

    @Test func aShorterQueueSendsTheLeastUrgentAway() {
        var story = SchedulerStory { $0.concurrencyMax = 1 }
        _ = story.ask(1...4) + story.ask(5, .prefetch)
        let configured = story.configure { $0.queueMax = 2 }
        #expect(configured == ["answer 5 overloaded 1000ms", "answer 4 overloaded 1000ms"])
    }

    @Test func aLoadThatWaitedGoesByTheNewPolicy() throws {
        var scheduler = OriginScheduler(seed: 1)
        var actions: [OriginScheduler.Action] = []
        let now = Instant(nanoseconds: 1)
        var policy = OriginPolicy(url: "http://old.test/")
        policy.concurrencyMax = 1
        scheduler.configure([.default: policy], now: now, into: &actions)
        let key = try #require(CacheKey("k"))
        for number: UInt64 in 1...2 {
            let request = OriginRequest(
                namespace: .default, key: key, policy: policy, valueBytesMax: 1,
                timeout: .seconds(1))
            let ticket = LoadTicket(shard: 0, number: number)
            let order = LoadOrder(ticket: ticket, request: request, urgency: .awaited)
            scheduler.ask(order, now: now, into: &actions)
        }
        policy.url = "http://new.test/"
        scheduler.configure([.default: policy], now: now, into: &actions)
        scheduler.finished(AttemptNumber(1), SchedulerStory.reply, now: now, into: &actions)
        guard case .start(_, let request) = actions.last else {
            Issue.record("nothing started")
            return
        }
        #expect(request.policy == policy)
    }

    @Test func anotherAddressIsAnotherOrigin() {
        var story = OriginSchedulerBreakerTests.broken()
        #expect(story.statistics.breaker == .open)
        _ = story.configure { $0.timeout = .seconds(4) }
        #expect(story.statistics.breaker == .open)
        _ = story.configure { $0.url = "http://another.test/{key}" }
        #expect(story.statistics.breaker == .closed)
        #expect(story.statistics.limit == 40)
    }

    @Test func aFreeGateIsUsedAgain() throws {
        var scheduler = OriginScheduler(seed: 1)
        var actions: [OriginScheduler.Action] = []
        let now = Instant(nanoseconds: 1)
        for number in 1...100 {
            let namespace = try #require(Namespace("n\(number)"))
            scheduler.configure([namespace: OriginPolicy(url: "u")], now: now, into: &actions)
            #expect(scheduler.statistics.keys.sorted { $0.name < $1.name } == [namespace])
        }
        #expect(actions.isEmpty)
    }
}
