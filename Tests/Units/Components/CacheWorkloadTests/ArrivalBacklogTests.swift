import CacheModel
import CacheWorkload
import Testing

@Suite struct ArrivalBacklogTests {
    private static let end = Instant(nanoseconds: .max)

    /// One request each millisecond, from the moment 0.
    private static func backlog(waitingMax: Int) -> ArrivalBacklog {
        ArrivalBacklog(
            ArrivalSchedule(
                perSecond: 1_000, .constant, share: ThreadShare(thread: 0, of: 1), seed: 1,
                start: Instant(nanoseconds: 0)), waitingMax: waitingMax)
    }

    private static func milliseconds(_ count: UInt64) -> Instant {
        Instant(nanoseconds: count * 1_000_000)
    }

    @Test func dueArrivalsAreTakenInOrderWithTheirDueTime() {
        var backlog = Self.backlog(waitingMax: 10)
        #expect(backlog.take() == nil)
        backlog.arrive(by: Self.milliseconds(2), before: Self.end)
        #expect(backlog.nextDue == Self.milliseconds(3))
        #expect((0..<3).map { _ in backlog.take() } == (0...2).map { Self.milliseconds($0) })
        #expect(backlog.take() == nil)
        #expect(backlog.dueCount == 3 && backlog.notSentCount == 0 && backlog.waitingPeak == 3)
    }

    @Test func aFullBacklogDropsTheNewestArrivalsAndKeepsTheOldest() {
        var backlog = Self.backlog(waitingMax: 5)
        backlog.arrive(by: Self.milliseconds(99), before: Self.end)
        #expect(backlog.waitingCount == 5 && backlog.notSentCount == 95 && backlog.dueCount == 100)
        #expect(backlog.take() == Self.milliseconds(0))
        backlog.arrive(by: Self.milliseconds(100), before: Self.end)
        #expect(
            (0..<5).map { _ in backlog.take() } == [1, 2, 3, 4, 100].map { Self.milliseconds($0) })
        #expect(backlog.waitingPeak == 5)
    }

    @Test func nothingBecomesDueOnceThePhaseIsOver() {
        var backlog = Self.backlog(waitingMax: 100)
        backlog.arrive(by: Self.milliseconds(50), before: Self.milliseconds(10))
        #expect(backlog.dueCount == 10)
        backlog.abandon()
        #expect(backlog.notSentCount == 10 && backlog.waitingCount == 0 && backlog.take() == nil)
    }

    /// Against an array, over random steps: nothing is lost, doubled or reordered.
    @Test(arguments: UInt64(1)...20)
    func itKeepsTheOrderThroughAllItsSizes(seed: UInt64) {
        var random = WorkloadRandom(seed: seed)
        let bound = 1 + random.below(500)
        var backlog = Self.backlog(waitingMax: bound)
        var model: [Instant] = []
        var nextDue: UInt64 = 0
        var now: UInt64 = 0
        var sentCount = 0
        var lostCount = 0
        for _ in 0..<500 {
            now += UInt64(random.below(40))
            backlog.arrive(by: Self.milliseconds(now), before: Self.end)
            while nextDue <= now {
                if model.count < bound {
                    model.append(Self.milliseconds(nextDue))
                } else {
                    lostCount += 1
                }
                nextDue += 1
            }
            for _ in 0..<random.below(42) {
                let taken = backlog.take()
                #expect(taken == model.first)
                if taken != nil, !model.isEmpty {
                    model.removeFirst()
                    sentCount += 1
                }
            }
            #expect(backlog.waitingCount == model.count && backlog.notSentCount == lostCount)
            #expect(backlog.dueCount == sentCount + lostCount + model.count)
        }
    }

    @Test func theBoundIsASecondOfRequestsAndAtLeastTenThousand() {
        #expect(ArrivalBacklog.waitingMax(perSecond: 1, threadCount: 1) == 10_000)
        #expect(ArrivalBacklog.waitingMax(perSecond: 1, threadCount: 4) == 2_500)
        #expect(ArrivalBacklog.waitingMax(perSecond: 50_000, threadCount: 1) == 50_000)
        #expect(ArrivalBacklog.waitingMax(perSecond: 50_000, threadCount: 3) == 16_667)
    }
}
