import CacheLoading
import CacheModel
import Testing

/// What the breaker does to loads; when it opens is in `OriginBreakerTests`.
@Suite struct OriginSchedulerBreakerTests {
    static func broken(
        concurrencyMax: Int = 40, _ adjust: (inout OriginPolicy) -> Void = { _ in }
    ) -> SchedulerStory {
        var story = SchedulerStory {
            ($0.concurrencyMax, $0.retriesMax) = (concurrencyMax, 0)
            adjust(&$0)
        }
        for number: UInt64 in 1...5 {
            _ = story.ask(number) + story.finish(number, .failed(.unreachable))
        }
        return story
    }

    static func pauseLeft(_ story: inout SchedulerStory, asking number: UInt64) -> Int {
        let line = story.ask(number).first ?? ""
        guard line.hasPrefix("answer \(number) broken ") else { return -1 }
        return Int(line.split(separator: " ")[3].dropLast(2)) ?? -1
    }

    @Test func whatWaitsOrRestsIsAnsweredWhenTheOriginBreaks() {
        var story = SchedulerStory { ($0.concurrencyMax, $0.retriesMax) = (6, 1) }
        _ = story.ask(1...6) + story.ask(7...8, .prefetch) + story.ask(9)
        var ends: [String] = []
        for attempt: UInt64 in 1...5 { ends += story.finish(attempt, .failed(.unreachable)) }
        let answers = ends.filter { $0.hasPrefix("answer") }
            .map { $0.split(separator: " ").prefix(3).joined(separator: " ") }
        // 9 and then 7 went to the origin in between; 6 is there still.
        #expect(
            answers == [
                "answer 5 unreachable", "answer 8 broken", "answer 1 broken", "answer 2 broken",
                "answer 3 broken", "answer 4 broken",
            ])
        let late = story.finish(6)
        #expect(late == ["answer 6 200"])
    }

    @Test func aBrokenOriginIsLeftAloneForItsPause() {
        var story = Self.broken()
        let first = Self.pauseLeft(&story, asking: 10)
        #expect((4_500...5_500).contains(first))
        _ = story.wait(.seconds(2))
        let second = Self.pauseLeft(&story, asking: 11)
        #expect(abs(first - second - 2_000) <= 1)
        #expect(story.statistics.breaker == .open)
        #expect(story.statistics.broken == 2)
        #expect(story.statistics.opened == 1)
    }

    @Test func afterThePauseOneProbeAtATimeIsLetThrough() {
        var story = Self.broken()
        _ = story.wait(.milliseconds(5_500))
        let asked = story.ask(10) + story.ask(11) + story.ask(12, .refresh)
        #expect(
            asked == ["start 6 k10 5000ms", "answer 11 broken 100ms", "answer 12 broken 100ms"])
        #expect(story.statistics.breaker == .halfOpen)
        let next = story.finish(6) + story.ask(13)
        #expect(next == ["answer 10 200", "start 7 k13 5000ms"])
    }

    @Test func aRefreshMayBeAProbeAndAPrefetchMayNot() {
        var story = Self.broken()
        _ = story.wait(.milliseconds(5_500))
        let prefetch = story.ask(10, .prefetch)
        let refresh = story.ask(11, .refresh)
        #expect(prefetch == ["answer 10 broken 100ms"])
        #expect(refresh == ["start 6 k11 5000ms"])
    }

    @Test func threeGoodProbesCloseItAndItStartsSlowly() {
        var story = Self.broken(concurrencyMax: 40)
        _ = story.wait(.milliseconds(5_500))
        for attempt: UInt64 in 6...8 {
            #expect(story.statistics.breaker != .closed)
            _ = story.ask(attempt) + story.finish(attempt)
        }
        #expect(story.statistics.breaker == .closed)
        #expect(story.statistics.limit == 4)
        let asked = story.ask(20...29)
        #expect(asked.count == 4)
        let turns = story.finish(9...13)
        // Four good answers at four places are a fifth place.
        #expect(turns.count { $0.hasPrefix("start") } == 6)
    }

    @Test func aFailingProbeOpensItAgainForTwiceAsLong() {
        var story = Self.broken { $0.timeout = .seconds(1) }
        for (index, seconds) in [5, 10, 20, 40, 40].enumerated() {
            let left = Self.pauseLeft(&story, asking: 100 + UInt64(index))
            #expect((seconds * 900...seconds * 1_100).contains(left))
            _ = story.wait(.seconds(seconds) + .milliseconds(seconds * 100))
            let probe = UInt64(6 + index)
            let asked = story.ask(200 + UInt64(index))
            let failed = story.finish(probe, .failed(.timedOut))
            #expect(asked.count == 1)
            #expect(failed.count == 1)
        }
        #expect(story.statistics.opened == 6)
    }

    @Test func aProbeThatRunsOutOfTimeFails() {
        var story = Self.broken { $0.timeout = .seconds(1) }
        _ = story.wait(.milliseconds(5_500)) + story.ask(10)
        let waited = story.wait(.seconds(1))
        #expect(waited == ["abort 6", "answer 10 timedOut"])
        #expect(story.statistics.breaker == .open)
        // Its place is taken still, and the next probe does not wait for it.
        _ = story.wait(.seconds(11))
        let next = story.ask(11)
        #expect(next == ["start 7 k11 1000ms"])
        let late = story.finish(6)
        #expect(late == [])
    }

    @Test func aCancelledProbeHoldsItsSlotUntilItsAttemptFinishes() {
        var story = Self.broken()
        _ = story.wait(.milliseconds(5_500)) + story.ask(10) + story.cancel(10)
        let asked = story.ask(11)
        _ = story.finish(6)
        let next = story.ask(12)
        #expect(asked == ["answer 11 broken 100ms"])
        #expect(next == ["start 7 k12 5000ms"])
    }

    @Test func aProbeThatMeetsACrowdIsNeitherGoodNorBad() {
        var story = Self.broken()
        _ = story.wait(.milliseconds(5_500))
        for attempt: UInt64 in 6...9 {
            _ = story.ask(attempt) + story.finish(attempt, status: 429)
            #expect(story.statistics.breaker == .halfOpen)
        }
    }

    @Test func whatWasStartedBeforeItBrokeIsNotHeardAfterwards() {
        var story = SchedulerStory {
            ($0.concurrencyMax, $0.retriesMax, $0.timeout) = (20, 0, .seconds(60))
        }
        _ = story.ask(1...20) + story.finish(1...5, .failed(.unreachable))
        _ = story.wait(.milliseconds(5_500))
        _ = story.ask(21)
        // A late good answer is no good probe, a late failure no bad one.
        _ = story.finish(6...8)
        _ = story.finish(9...15, .failed(.unreachable))
        #expect(story.statistics.breaker == .halfOpen)
        _ = story.finish(21) + story.ask(22) + story.finish(22) + story.ask(23) + story.finish(23)
        #expect(story.statistics.breaker == .closed)
        _ = story.finish(16...20, .failed(.unreachable))
        #expect(story.statistics.breaker == .closed)
        #expect(story.statistics.limit == 2)
    }

    @Test func whereOldAttemptsFillThePolicysLimitThereIsNoProbe() {
        var story = SchedulerStory {
            ($0.concurrencyMax, $0.retriesMax, $0.timeout) = (6, 0, .seconds(60))
        }
        _ = story.ask(1...11) + story.finish(1...5, .failed(.unreachable))
        _ = story.configure { $0.concurrencyMax = 2 }
        _ = story.wait(.milliseconds(5_500))
        // The jam cut the limit, and 6 to 9 went in between: four are there, two may be.
        #expect(story.statistics.inFlight >= 2)
        let asked = story.ask(20)
        #expect(asked == ["answer 20 broken 100ms"])
    }

    @Test func timeoutsCausedByQueueingDoNotOpenTheBreaker() {
        var story = SchedulerStory { ($0.concurrencyMax, $0.retriesMax) = (10, 0) }
        for round: UInt64 in 0..<3 {
            let base = round * 100
            _ = story.ask(base + 1...base + 10)
            _ = story.ask(base + 11...base + 20)
            _ = story.wait(.milliseconds(4_000))
            let first = round * 20 + 1
            // Nobody knows how long an answer takes: ten of them go with a second left, and fail.
            for load in base + 1...base + 10 { _ = story.cancel(load) }
            _ = story.finish(first...first + 9)
            _ = story.wait(.seconds(1))
            _ = story.finish(first + 10...first + 19)
        }
        #expect(story.statistics[.timedOut] == 30)
        #expect(story.statistics.breaker == .closed)
        #expect(story.statistics.limit == 10)
    }
}
