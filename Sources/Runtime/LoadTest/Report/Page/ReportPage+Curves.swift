import Histogram

extension ReportPage {
    /// Percentile curves, one for each histogram that is not empty.
    func curves(
        _ id: String, _ title: String, _ histograms: [(name: String, LatencyHistogram)]
    ) -> Chart? {
        let named = histograms.filter { $0.1.totalCount > 0 }
        let curves = named.map { LatencyCurve($0.1) }
        let values = curves.flatMap { curve in
            (curve.points + [curve.slowest].compactMap(\.self)).map(\.nanoseconds)
        }
        guard !values.isEmpty else { return nil }
        let rarest = curves.compactMap { $0.slowest?.rarity }.max() ?? 1
        var chart = Chart(
            id: id, title: title, summary: "", x: .rarities(upTo: rarest),
            y: .latencies("latency, logarithmic", holding: values))
        for (index, curve) in curves.enumerated() {
            chart.lines.append(
                Chart.Line(
                    name: named[index].name, style: "s\(index % 6 + 1)",
                    points: curve.points.map(Self.place), dot: curve.slowest.map(Self.place)))
        }
        chart.readings = Self.readings(named.map(\.1))
        chart.summary = chart.readings.last.map { "At \($0.title): \($0.values[0])." } ?? ""
        chart.note =
            "Each equal step to the right is ten times rarer. A line ends where fewer than ten "
            + "answers are left; the dot is the slowest single answer."
        return chart
    }

    private static func place(_ point: LatencyCurve.Point) -> Chart.Point {
        Chart.Point(x: point.rarity, y: Double(max(point.nanoseconds, 1)))
    }

    private static func readings(_ histograms: [LatencyHistogram]) -> [Chart.Reading] {
        let shares: [(Double, Double)] = [
            (2, 50), (4, 75), (10, 90), (20, 95), (50, 98), (100, 99), (200, 99.5), (1e3, 99.9),
            (1e4, 99.99), (1e5, 99.999), (1e6, 99.9999),
        ]
        return shares.compactMap { rarity, percentile in
            let known = histograms.map { $0.known(percentile) }
            guard known.contains(where: { $0 != nil }) else { return nil }
            return Chart.Reading(
                x: rarity, title: "\(FigureForm.plain(percentile)) %",
                values: known.map(latency))
        }
    }
}
