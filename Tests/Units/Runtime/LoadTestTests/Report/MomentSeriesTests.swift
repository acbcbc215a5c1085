import Histogram
import Testing

@testable import LoadTest

@Suite struct MomentSeriesTests {
    private static func moment(_ keys: UInt64, latency: UInt64 = 1_000) -> Moment {
        var moment = Moment()
        moment.seconds = 1
        moment.keyCount = keys
        moment.latency.note(nanoseconds: latency)
        return moment
    }

    @Test func threadsAddToTheSameSecond() {
        var series = MomentSeries()
        series.add(Self.moment(3), at: 0)
        series.add(Self.moment(4), at: 0)
        series.add(Self.moment(5), at: 2)
        #expect(series.moments.map(\.keyCount) == [7, 0, 5])
        #expect(series.moments.map(\.keysPerSecond) == [7, nil, 5])
    }

    @Test(arguments: [0.1, 0.25, 0.3, 1, 2])
    func aTimeThatIsAMultipleOfTheWidthBeginsAMoment(width: Double) {
        var series = MomentSeries(momentSeconds: width)
        for index in 0..<200 { series.add(Self.moment(1), at: width * Double(index)) }
        #expect(series.moments.count == 200)
        #expect(series.moments.allSatisfy { $0.keyCount == 1 })
    }

    @Test func aLongRunLosesResolutionAndNothingElse() {
        var series = MomentSeries()
        for second in 0..<3_000 { series.add(Self.moment(1), at: Double(second)) }
        #expect(series.momentSeconds == 4)
        #expect(series.moments.count == 750)
        #expect(series.moments.allSatisfy { $0.keysPerSecond == 1 && $0.latency.totalCount == 4 })
    }

    @Test func seriesOfDifferentWidthsAreMergedAtTheCoarserOne() {
        var long = MomentSeries()
        for second in 0..<1_500 { long.add(Self.moment(1), at: Double(second)) }
        var short = MomentSeries()
        short.add(Self.moment(10), at: 0)
        short.add(Self.moment(20), at: 1)
        var other = short
        other.merge(long)
        long.merge(short)
        #expect(long.momentSeconds == 2)
        #expect(long.moments.first?.keyCount == 32)
        #expect(long == other)
    }

    @Test func aChartGetsAsManyMomentsAsItHasRoomFor() {
        var series = MomentSeries()
        for second in 0..<10 { series.add(Self.moment(1, latency: 7_000), at: Double(second)) }
        let folded = series.folded(to: 4)
        #expect(folded.moments.map(\.keyCount) == [4, 4, 2])
        #expect(folded.moments.last?.seconds == 2)
        #expect(folded.moments.first?.latency.totalCount == 4)
    }
}
