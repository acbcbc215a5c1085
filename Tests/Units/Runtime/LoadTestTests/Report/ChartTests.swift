import Testing

@testable import LoadTest

@Suite struct ChartTests {
    private static func chart(_ points: [Chart.Point?]) -> (Chart, Chart.Line) {
        let scale = Scale(kind: .linear, lowest: 0, highest: 10)
        let axis = Axis("", scale, ticks: [], label: { _ in "" })
        let line = Chart.Line(name: "a", style: "s1", points: points)
        return (Chart(id: "a", title: "a", summary: "", x: axis, y: axis, lines: [line]), line)
    }

    @Test func aLineHasGapsForUnknownValuesAndDotsForIsolatedOnes() {
        let (chart, line) = Self.chart([
            Chart.Point(x: 0, y: 0), Chart.Point(x: 1, y: 10), nil, Chart.Point(x: 5, y: 5), nil,
            nil, Chart.Point(x: 9, y: 1), Chart.Point(x: 10, y: 1),
        ])
        #expect(chart.path(line) == "M0 1000L100 0M500 500h0M900 900L1000 900")
        #expect(
            chart.fillPath(line)
                == "M0 1000L0 1000L100 0L100 1000ZM900 1000L900 900L1000 900L1000 1000Z")
    }

    @Test(arguments: [0.3, 1, 7, 99, 400_000, 12_345_678])
    func ratesBeginAtZeroAndHaveRoomForTheHighest(highest: Double) {
        let axis = Axis.rates("", upTo: highest)
        #expect(axis.scale.lowest == 0)
        #expect(axis.ticks.first?.label == "0" && axis.ticks.first?.position == 0)
        #expect(axis.scale.highest >= highest && axis.scale.highest <= highest * 1.5)
        #expect((3...7).contains(axis.ticks.count))
        #expect(abs((axis.ticks.last?.position ?? 0) - 1) < 1e-9)
    }

    @Test func latenciesHaveTicksAtRoundValuesInTheirOrder() {
        let axis = Axis.latencies("", holding: [230_000, 12_000_000])
        #expect(axis.scale.lowest == 200_000 && axis.scale.highest == 20_000_000)
        #expect(axis.ticks.map(\.label) == ["300 µs", "1 ms", "3 ms", "10 ms"])
        #expect(axis.ticks.map(\.position) == axis.ticks.map(\.position).sorted())
        #expect(Axis.latencies("", holding: [0]).ticks.count > 1)
        #expect(Axis.latencies("", holding: [5_000]).ticks.count > 1)
    }

    @Test func aPercentileStandsWhereItsRaritySays() {
        let axis = Axis.rarities(upTo: 1_000)
        #expect(axis.ticks.map(\.label) == ["0 %", "50 %", "90 %", "99 %", "99.9 %"])
        #expect(abs((axis.scale.position(100) ?? 0) - 2.0 / 3) < 1e-9)
    }

    @Test func timesAreSecondsAndOfLongRunsMinutes() {
        #expect(Axis.times(from: 0, to: 3).ticks.map(\.label).contains("2.5"))
        #expect(Axis.times(from: 0, to: 600).ticks.map(\.label).contains("2:00"))
        #expect(TimeLine.span(12, 13) == "12–13 s")
        #expect(TimeLine.span(180, 181) == "3:00–3:01")
    }
}
