import Histogram
import Testing

@testable import LoadTest

@Suite struct PhaseFiguresTests {
    private static func gets(_ latencies: [UInt64], misses: UInt64 = 0) -> OperationFigures {
        var gets = OperationFigures(kind: "get")
        gets.operationCount = UInt64(latencies.count)
        gets.keyCount = UInt64(latencies.count)
        gets.missCount = misses
        gets.hitCount = UInt64(latencies.count) - misses
        for latency in latencies { gets.latency.note(nanoseconds: latency) }
        return gets
    }

    @Test func threadsAreAddedAndTheSlowerOneCountsTheTime() {
        var one = PhaseFigures(name: "steady")
        one.seconds = 2
        one.operations = [Self.gets([1_000, 2_000], misses: 1)]
        var other = PhaseFigures(name: "steady")
        other.seconds = 4
        other.operations = [Self.gets([3_000, 4_000]), OperationFigures(kind: "set")]
        one.merge(other)

        #expect(one.keyCount == 4)
        #expect(one.keysPerSecond == 1)
        #expect(one.hitRatio == 0.75)
        #expect(one.operations.map(\.kind) == ["get", "set"])
        #expect(one.latency.slowest == 4_000)
        #expect(one.latency == Self.gets([1_000, 2_000, 3_000, 4_000]).latency)
    }

    @Test func phasesOneAfterTheOtherAddTheirTime() {
        var one = PhaseFigures(name: "a")
        one.seconds = 2
        var other = PhaseFigures(name: "b")
        other.seconds = 3
        other.operations = [Self.gets([1_000])]
        one.append(other)
        #expect(one.seconds == 5)
        #expect(one.keyCount == 1)
    }

    @Test func ratesAreAddedOverThreadsAndNotOverTime() {
        var schedule = ScheduleFigures()
        schedule.ratePerSecond = 100
        schedule.dueCount = 1_000
        schedule.backlogMax = 7
        var phase = PhaseFigures(name: "a")
        phase.schedule = schedule
        var merged = phase
        merged.merge(phase)
        #expect(merged.schedule?.ratePerSecond == 200)
        #expect(merged.schedule?.dueCount == 2_000)
        #expect(merged.schedule?.backlogMax == 14)
        var both = phase
        both.append(merged)
        #expect(both.schedule?.ratePerSecond == nil)
        #expect(both.schedule?.dueCount == 3_000)
        #expect(both.schedule?.backlogMax == 14)
    }

    @Test func anInvalidationIsNeverMixedWithWhatAShardAnswers() {
        var phase = PhaseFigures(name: "a")
        var invalidations = OperationFigures(kind: "invalidate", isInvalidation: true)
        invalidations.latency.note(nanoseconds: 9_000_000)
        phase.operations = [Self.gets([1_000]), invalidations]
        #expect(phase.latency.slowest == 1_000)
        #expect(phase.invalidationLatency.slowest == 9_000_000)
    }

    @Test func whatWasNotAskedHasNoFigure() {
        let phase = PhaseFigures(name: "nothing")
        #expect(phase.hitRatio == nil)
        #expect(phase.keysPerSecond == nil)
        #expect(phase.latency.slowest == nil)
        #expect(phase.generator.busyShare == nil)
    }

    /// Of 999 answers nobody knows the 99th percentile: nine are behind it.
    @Test(arguments: [(50.0, 20), (90, 100), (99, 1_000), (99.9, 10_000), (99.99, 100_000)])
    func aPercentileNeedsTenAnswersBehindIt(percentile: Double, enough: Int) {
        var latency = LatencyHistogram.latencies()
        for _ in 1..<enough { latency.note(nanoseconds: 5_000) }
        #expect(latency.known(percentile) == nil)
        latency.note(nanoseconds: 5_000)
        #expect(latency.known(percentile) == 5_000)
    }

    @Test func whatIsSlowerThanAnHourCountsAsAnHour() {
        var latency = LatencyHistogram.latencies()
        latency.note(nanoseconds: .max)
        #expect(latency.totalCount == 1)
        #expect(latency.slowest == 3_600_000_000_000)
    }
}
