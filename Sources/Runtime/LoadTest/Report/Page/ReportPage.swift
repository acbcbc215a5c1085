import Histogram

/// The report of a load test as one HTML file: no network, no other file; readable without script,
/// on paper, on a telephone, and with a screen reader.
///
///      cautions                        what a reader must not overlook
///      key numbers                     cards, or a table of the phases
///      over time                       rate · latency · hit ratio · invalidations
///      phase by phase                  percentiles · kinds · errors · generator
///      --verify                        counts of checks; wrong answers and their keys' history
///      requested load                  facts · machines
///      method                          the meaning of each number
///
/// It is a pure function of the figures; the caller writes the file. All text from outside –
/// titles, names, keys – is escaped by ``Markup``.
package struct ReportPage {
    let run: RunFigures
    let measured: [PhaseFigures]

    package init(_ run: RunFigures) {
        self.run = run
        measured = run.measuredPhases
    }

    /// The whole file. Well-formed XML, too.
    package var html: String {
        var page = Markup()
        page.element(
            "html", ["lang": "en", "xmlns": "http://www.w3.org/1999/xhtml"]
        ) { page in
            page.element("head") { head(&$0) }
            page.element("body") { page in
                page.element("main") { page in
                    top(&page)
                    cautions(&page)
                    summary(&page)
                    overTime(&page)
                    phases(&page)
                    verification(&page)
                    asked(&page)
                    method(&page)
                }
                page.element("script") { $0.write(own: ReportAssets.script) }
            }
        }
        return "<!DOCTYPE html>\n" + page.text + "\n"
    }

    private func head(_ page: inout Markup) {
        page.empty("meta", ["charset": "utf-8"])
        page.empty(
            "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        page.empty("meta", ["name": "color-scheme", "content": "light dark"])
        page.element("title", "\(run.title) – load test")
        page.element("style") { $0.write(own: ReportAssets.style) }
    }

    private func top(_ page: inout Markup) {
        page.element("header") { page in
            page.element("p", ["class": "kind"], "Load test · Martlet \(run.version)")
            page.element("h1", run.title)
            page.element("p", ["class": "subject"], run.subject)
            var facts: [String] = []
            if let start = run.startedAt { facts.append(WallTime(milliseconds: start).text) }
            facts += run.workers.prefix(1).compactMap(\.machine.hostName)
            if run.workers.count > 1 { facts.append("and \(run.workers.count - 1) more") }
            page.element("p", ["class": "soft"], facts.joined(separator: " · "))
        }
    }

    private func cautions(_ page: inout Markup) {
        let cautions = run.cautions
        guard !cautions.isEmpty else { return }
        page.element("ul", ["class": "cautions", "aria-label": "Read first"]) { page in
            for caution in cautions {
                page.element("li", ["class": caution.weight.rawValue]) { page in
                    page.element("strong", Self.name(caution.weight))
                    page.write(" " + caution.sentence)
                }
            }
        }
    }

    private static func name(_ weight: Caution.Weight) -> String {
        switch weight {
        case .violation: "Violation."
        case .warning: "Note."
        case .remark: "Know."
        }
    }

    /// Spaces in numbers at which no line breaks.
    static let space = FigureForm.narrowSpace

    static func latency(_ nanoseconds: UInt64?) -> String {
        FigureForm.latency(nanoseconds, separator: space)
    }

    static func count(_ number: UInt64) -> String {
        FigureForm.grouped(number, separator: space)
    }

    static func rate(_ perSecond: Double?) -> String {
        FigureForm.rate(perSecond, separator: space)
    }

    static func share(_ share: Double?) -> String { FigureForm.share(share, separator: space) }

    static func seconds(_ seconds: Double) -> String {
        FigureForm.seconds(seconds, separator: space)
    }
}

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

/// The percentiles of one histogram, from the fastest answer to the rarest known one, as in HDR
/// plots: each decade to the right is ten times rarer [1].
///
/// [1] G. Tene: HdrHistogram.
struct LatencyCurve: Equatable {
    struct Point: Equatable {
        /// 1 ÷ (1 − share of answers that were not slower): 1 for the fastest, 100 for p99.
        var rarity: Double
        var nanoseconds: UInt64
    }

    /// Points with at least ten answers beyond them.
    let points: [Point]
    /// The slowest answer, at the rarity of one answer; `nil` without answers.
    let slowest: Point?

    private static let stepsPerDecade = 48.0

    /// - Complexity: O(buckets).
    init(_ latency: LatencyHistogram) {
        let count = Double(latency.totalCount)
        guard let last = latency.slowest else {
            points = []
            slowest = nil
            return
        }
        slowest = Point(rarity: count, nanoseconds: last)
        var points: [Point] = []
        var reached = 0.0
        var step = 0.0
        for bucket in latency.recordedValues() {
            reached += Double(bucket.count)
            while true {
                let rarity = Self.power(of: step)
                let rank = max(1, count * (1 - 1 / rarity))
                guard rarity * 10 <= count * (1 + 1e-9), rank <= reached * (1 + 1e-12) else {
                    break
                }
                points.append(Point(rarity: rarity, nanoseconds: min(bucket.value, last)))
                step += 1
            }
        }
        self.points = points
    }

    /// 10 to the power of step ÷ ``stepsPerDecade``, exact at whole decades.
    private static func power(of step: Double) -> Double {
        let decades = (step / stepsPerDecade).rounded(.down)
        let rest = step - decades * stepsPerDecade
        let whole = (0..<Int(decades)).reduce(1.0) { power, _ in power * 10 }
        return whole * Scale.powerOfTen(rest / stepsPerDecade)
    }
}
