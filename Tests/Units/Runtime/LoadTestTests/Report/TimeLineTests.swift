import Histogram
import Testing

@testable import LoadTest

@Suite struct TimeLineTests {
    private static func phase(
        _ keys: [UInt64], at offset: Double, lastSeconds: Double = 1
    ) -> PhaseFigures {
        var phase = PhaseFigures(name: "a")
        phase.offsetSeconds = offset
        for (second, count) in keys.enumerated() {
            var moment = Moment()
            moment.seconds = second == keys.count - 1 ? lastSeconds : 1
            moment.keyCount = count
            moment.hitCount = count
            phase.series.add(moment, at: Double(second))
            phase.seconds += moment.seconds
        }
        return phase
    }

    private static func text(_ points: [Chart.Point?]) -> String {
        points.map { point in
            point.map { "\(FigureForm.plain($0.x)):\(FigureForm.plain($0.y))" } ?? "gap"
        }.joined(separator: " ")
    }

    @Test func phasesAreNeverJoinedAndAreWhereTheyWere() {
        let time = TimeLine([Self.phase([4, 6], at: 0), Self.phase([5], at: 3)])
        #expect(Self.text(time.steps(\.keysPerSecond)) == "0:4 1:4 1:6 2:6 gap 3:5 4:5")
        #expect(time.end == 4)
    }

    /// Nothing answered is a rate of zero; a ratio of nothing is a gap.
    @Test func anIntervalWithoutAnswersIsAZeroRateAndAMissingRatio() {
        let time = TimeLine([Self.phase([4, 0, 6], at: 0)])
        #expect(Self.text(time.steps(\.keysPerSecond)) == "0:4 1:4 1:0 2:0 2:6 3:6")
        #expect(Self.text(time.steps(\.hitRatio)) == "0:1 1:1 gap 2:1 3:1")
        #expect(Self.text(time.dots(\.hitRatio)) == "0.5:1 gap 2.5:1")
    }

    @Test func aRateOfAFewMillisecondsIsNotDrawnAlone() {
        let time = TimeLine([Self.phase([100, 100, 50], at: 0, lastSeconds: 0.25)])
        #expect(Self.text(time.steps(\.keysPerSecond)) == "0:100 1:100 1:120 2.25:120")
    }

    @Test func aLongRunIsFoldedToTheRoomThereIs() {
        let time = TimeLine([Self.phase(Array(repeating: 8, count: 900), at: 0)])
        #expect(time.places.count == 450)
        #expect(time.places.allSatisfy { $0.moment.keysPerSecond == 8 })
    }

    @Test func aCurveEndsWhereFewerThanTenAnswersAreLeft() throws {
        var latency = LatencyHistogram.latencies()
        for value in 1...1_000 { latency.note(nanoseconds: UInt64(value) * 1_000) }
        let curve = LatencyCurve(latency)
        #expect(curve.slowest == LatencyCurve.Point(rarity: 1_000, nanoseconds: 1_000_000))
        let last = try #require(curve.points.last)
        #expect(abs(last.rarity - 100) < 1e-6)
        #expect(last.nanoseconds == latency.known(99))
        let tenth = try #require(curve.points.first { abs($0.rarity - 10) < 1e-6 })
        #expect(tenth.nanoseconds == latency.known(90))
        #expect(curve.points.map(\.nanoseconds) == curve.points.map(\.nanoseconds).sorted())
        #expect(LatencyCurve(.latencies()).points == [])
    }
}
