import CacheMetrics
import CacheModel
import CacheVerification
import CommandSurface

extension VerifyReport {
    /// The figures in the text form that Prometheus reads from a file.
    var metricsText: String {
        var page = MetricPage()
        addCounts(to: &page)
        addAnswers(to: &page)
        let isHeard = silence.map { $0 <= TailSilence.patience } ?? false
        page.add(VerifyMetric.following, .count(isHeard ? 1 : 0))
        page.add(VerifyMetric.openSamples, .count(UInt64(check.openCount)))
        for (delay, lateness) in zip(check.plan.delays, check.lateness) {
            page.add(
                VerifyMetric.lateness, [Self.label(delay)],
                .number(lateness.most / .seconds(1)))
        }
        addNines(to: &page)
        addOrigins(to: &page)
        return page.text(.prometheus)
    }

    private func addCounts(to page: inout MetricPage) {
        let tally = check.tally
        for (family, count) in [
            (VerifyMetric.records, tally.recordCount), (VerifyMetric.samples, tally.sampledCount),
            (VerifyMetric.violations, tally.wrongCount),
            (VerifyMetric.differing, tally.differingCount),
            (VerifyMetric.logLosses, tally.lossCount),
        ] { page.add(family, .count(UInt64(count))) }
    }

    private func addAnswers(to page: inout MetricPage) {
        page.begin(VerifyMetric.answers)
        for line in lines {
            guard let node = line.node else { continue }
            let figures = line.figures
            for (finding, count) in [
                ("right", figures.right), ("behind", figures.behind), ("wrong", figures.wrong),
                ("unknown", figures.unknown), ("unanswered", figures.unanswered),
            ] {
                page.add(
                    VerifyMetric.answers,
                    [Self.label(line.delay), Self.label(node), MetricLabel("finding", finding)],
                    .count(UInt64(count)))
            }
        }
    }

    private func addNines(to page: inout MetricPage) {
        page.begin(VerifyMetric.nines)
        for line in lines {
            guard let node = line.node else { continue }
            switch line.figures.nines {
            case .unknown: break
            case .exactly(let tenths), .atLeast(let tenths):
                page.add(
                    VerifyMetric.nines, [Self.label(line.delay), Self.label(node)],
                    .number(Double(tenths) / 10))
            }
        }
    }

    private func addOrigins(to page: inout MetricPage) {
        guard check.origins.plan.isOn else { return }
        page.begin(VerifyMetric.origin)
        for (node, figures) in originLines {
            guard let node else { continue }
            for (finding, count) in Self.named(figures) {
                page.add(
                    VerifyMetric.origin, [Self.label(node), MetricLabel("finding", finding)],
                    .count(UInt64(count)))
            }
        }
    }

    private static func label(_ delay: Duration) -> MetricLabel {
        MetricLabel("after", FigureText.timeLeft(delay))
    }

    private static func label(_ node: NodeID) -> MetricLabel { MetricLabel("node", node.name) }
}
