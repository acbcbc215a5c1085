extension ReportPage {
    /// All charts over time.
    func overTime(_ page: inout Markup) {
        let time = TimeLine(run.phases)
        guard !time.places.isEmpty else { return }
        page.element("section") { page in
            page.element("h2", "Over time")
            rateChart(time).write(to: &page)
            if let chart = latencyChart(time) { chart.write(to: &page) }
            if let chart = hitChart(time) { chart.write(to: &page) }
            if let chart = invalidationChart(time) { chart.write(to: &page) }
        }
    }

    private func chart(_ id: String, _ title: String, _ time: TimeLine, y: Axis) -> Chart {
        var chart = Chart(
            id: id, title: title, summary: "", x: .times(from: 0, to: time.end), y: y)
        if run.phases.count > 1 || run.phases.contains(where: \.isWarmUp) {
            chart.bands = time.bands
        }
        chart.marks = (run.verification?.violations ?? []).compactMap { violation in
            violation.atSeconds.map { Chart.Mark(name: "wrong answer", x: $0) }
        }
        return chart
    }

    private func rateChart(_ time: TimeLine) -> Chart {
        let asked = askedRates(time)
        let rates = time.places.compactMap(\.moment.keysPerSecond)
        let highest = (rates + asked.compactMap { $0?.y }).max() ?? 0
        var chart = chart(
            "rate", "Keys answered per second", time,
            y: .rates("keys per second", upTo: max(highest, 1)))
        var shown: [(name: String, style: String, rate: (Moment) -> Double?)] = [
            ("answered", "s1", \.keysPerSecond)
        ]
        if time.places.contains(where: { $0.moment.errorCount > 0 }) {
            shown.append(("of these errors", "bad", \.errorsPerSecond))
        }
        if time.places.contains(where: { $0.moment.notSentCount > 0 }) {
            shown.append(("due and not sent", "s2", \.notSentPerSecond))
        }
        chart.lines = shown.map {
            Chart.Line(name: $0.name, style: $0.style, points: time.steps($0.rate))
        }
        chart.lines[0].isFilled = true
        chart.readings = time.readings { moment in shown.map { Self.rate($0.rate(moment)) } }
        if asked.contains(where: { $0 != nil }) {
            chart.lines.append(Chart.Line(name: "asked for", style: "asked", points: asked))
            for index in chart.readings.indices {
                let rate = run.phases[time.places[index].phase].schedule?.ratePerSecond
                chart.readings[index].values.append(Self.rate(rate))
            }
        }
        chart.summary = Self.rateSummary(rates)
        return chart
    }

    /// A level line over each phase with a requested rate.
    private func askedRates(_ time: TimeLine) -> [Chart.Point?] {
        run.phases.indices.flatMap { index -> [Chart.Point?] in
            guard let rate = run.phases[index].schedule?.ratePerSecond else { return [] }
            let band = time.bands[index]
            return [Chart.Point(x: band.from, y: rate), Chart.Point(x: band.to, y: rate), nil]
        }
    }

    private static func rateSummary(_ rates: [Double]) -> String {
        guard let lowest = rates.min(), let highest = rates.max() else {
            return "Nothing was measured."
        }
        return "Between \(rate(lowest)) and \(rate(highest)) keys per second."
    }

    private func latencyChart(_ time: TimeLine) -> Chart? {
        let chart = percentileChart(
            chart("latency", "Latency over time", time, y: .shares("")), time, of: \.latency)
        guard var chart else { return nil }
        chart.note =
            "From when a request was due to its answer; errors left out. The scale is logarithmic: "
            + "each equal step up is the same factor. A gap: too few answers to tell, or none."
        return chart
    }

    private func invalidationChart(_ time: TimeLine) -> Chart? {
        let chart = percentileChart(
            chart("invalidation", "Invalidations over time", time, y: .shares("")), time,
            of: \.invalidationLatency)
        guard var chart else { return nil }
        chart.note =
            "From sending an invalidation to the receipt that every node applied it. Logarithmic."
        return chart
    }

    private func percentileChart(
        _ empty: Chart, _ time: TimeLine, of latency: KeyPath<Moment, LatencyHistogram>
    ) -> Chart? {
        let percentiles = [(50.0, "p50", "s1"), (99, "p99", "s2"), (99.9, "p99.9", "s3")]
        var chart = empty
        var figures: [(Moment) -> UInt64?] = []
        for (percentile, name, style) in percentiles {
            let figure: (Moment) -> UInt64? = { $0[keyPath: latency].known(percentile) }
            let points = time.steps { figure($0).map { Double(max($0, 1)) } }
            let line = Chart.Line(name: name, style: style, points: points)
            // A line without values is left out of the legend, too.
            if line.isEmpty { continue }
            chart.lines.append(line)
            figures.append(figure)
        }
        let slowest = time.dots { $0[keyPath: latency].slowest.map { Double(max($0, 1)) } }
        chart.lines.append(
            Chart.Line(name: "slowest", style: "s4", points: slowest, isDots: true))
        figures.append { $0[keyPath: latency].slowest }
        let values = chart.lines.flatMap { $0.points.compactMap { $0?.y } }
        guard let lowest = values.min(), let highest = values.max() else { return nil }
        chart.y = .latencies("latency, logarithmic", holding: values.map { UInt64($0) })
        chart.readings = time.readings { moment in figures.map { Self.latency($0(moment)) } }
        chart.summary =
            "Between \(Self.latency(UInt64(lowest))) and \(Self.latency(UInt64(highest)))."
        return chart
    }

    private func hitChart(_ time: TimeLine) -> Chart? {
        let ratios = time.places.compactMap(\.moment.hitRatio)
        guard let lowest = ratios.min(), let highest = ratios.max() else { return nil }
        var chart = chart("hits", "Hit ratio over time", time, y: .shares("share of lookups"))
        chart.lines = [
            Chart.Line(
                name: "hit ratio", style: "s5", points: time.steps(\.hitRatio), isFilled: true)
        ]
        chart.readings = time.readings { [Self.share($0.hitRatio)] }
        chart.summary = "Between \(Self.share(lowest)) and \(Self.share(highest))."
        return chart
    }
}
