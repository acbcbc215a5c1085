import CacheModel
import CacheWorkload
import Foundation
import Histogram
import LoadTest
import Testing

@testable import MartletClient
@testable import martlet

@Suite struct TraceTallyTests {
    @Test func whatFailedIsAnErrorAndNoMiss() {
        let cases: [(Bool, CacheError?, TraceTally.Outcome)] = [
            (false, nil, .hit), (true, nil, .miss),
            (true, CacheError(.disconnected, "nobody"), .failed("disconnected")),
            (true, CacheError(.refused, "too large", refusal: .tooLarge), .failed("tooLarge")),
            (
                true, CacheError(.refused, "invalidated", refusal: .invalidatedMeanwhile), .miss
            ),
        ]
        for (wasLoaded, error, outcome) in cases {
            #expect(TraceTally.Outcome(wasLoaded: wasLoaded, error) == outcome)
        }
    }

    @Test func workersAreAddedSecondBySecond() {
        var one = TraceTally()
        one.note(.hit, nanoseconds: 1_000, second: 0)
        one.note(.miss, nanoseconds: 2_000, second: 0)
        one.note(.failed("disconnected"), nanoseconds: 10, second: 2)
        one.begin(lateness: 5_000, waitingCount: 3)
        var other = TraceTally()
        other.note(.hit, nanoseconds: 3_000, second: 2)
        other.begin(lateness: 1_000, waitingCount: 4)
        one.add(other)
        let phase = one.phase(asked: "", seconds: 3)
        #expect(phase.keyCount == 4 && phase.hitCount == 2 && phase.missCount == 1)
        #expect(phase.errors == ["disconnected": 1])
        #expect(phase.latency.totalCount == 3, "what failed has no latency")
        #expect(phase.series.moments.map(\.keyCount) == [2, 0, 2])
        #expect(phase.series.moments.map(\.errorCount) == [0, 0, 1])
        #expect(one.schedule.backlogMax == 4 && one.schedule.lateness.slowest == 5_000)
    }

    @Test func whatWasDueAndNotBegunIsNotSent() throws {
        let schedule = try schedule(["0", "1", "2", "2", "3"])
        let moments: [UInt64] = [0, 999_999_999, 1_000_000_000, 2_500_000_000, 9_000_000_000]
        #expect(moments.map(schedule.dueCount) == [1, 1, 2, 4, 5])
        let figures = schedule.figures(ScheduleFigures(), takenCount: 3, end: 2_500_000_000)
        #expect(figures.dueCount == 4 && figures.notSentCount == 1)
        #expect(figures.backlogMax == 1)
        let whole = schedule.figures(ScheduleFigures(), takenCount: 5, end: 3_000_000_000)
        #expect(whole.dueCount == 5 && whole.notSentCount == 0)
    }

    @Test(arguments: [(TraceTime.seconds, Int64(2_500_000_000)), (.milliseconds, 2_500_000)])
    func timesCountWhatIsSaid(times: TraceTime, nanoseconds: Int64) throws {
        let requests = try TraceRequest.parse(Data("2.5,k,1\n".utf8), times: times)
        #expect(requests.map(\.nanoseconds) == [nanoseconds])
    }

    private func schedule(_ times: [String]) throws -> TraceSchedule {
        let lines = times.map { "\($0),k,1\n" }.joined()
        return TraceSchedule(try TraceRequest.parse(Data(lines.utf8), times: .seconds), speed: 1)
    }
}
