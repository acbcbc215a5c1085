import CacheMetrics
import CacheModel
import CacheVerification
import CommandSurface
import EssentialFoundation

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

/// Every metric of `verify --metrics`.
enum VerifyMetric {
    static let records = MetricFamily(
        .counter, "martlet_verify_records", "Records of the log that were heard.")
    static let samples = MetricFamily(
        .counter, "martlet_verify_samples", "Keys that were sampled.")
    static let violations = MetricFamily(
        .counter, "martlet_verify_violations", "Answers that broke a promise.")
    static let differing = MetricFamily(
        .counter, "martlet_verify_differing", "Looks with different versions.")
    static let logLosses = MetricFamily(
        .counter, "martlet_verify_log_losses", "Times the log could not be followed.")
    static let answers = MetricFamily(
        .counter, "martlet_verify_answers", "What nodes answered, by finding.")
    static let following = MetricFamily(
        .gauge, "martlet_verify_following", "Whether the publisher is heard.")
    static let openSamples = MetricFamily(
        .gauge, "martlet_verify_open_samples", "Samples with checks still due.")
    static let lateness = MetricFamily(
        .gauge, "martlet_verify_late_seconds",
        "How much later than their delay nodes were asked, at most.")
    static let nines = MetricFamily(
        .gauge, "martlet_verify_nines",
        "How consistent answers were, in nines; at least so many where none was bad.")
    static let origin = MetricFamily(
        .counter, "martlet_verify_origin",
        "Values of nodes, compared with those of origins, by finding.")

    static let all = [
        records, samples, violations, differing, logLosses, answers, following, openSamples,
        lateness, nines, origin,
    ]
}

/// A file that another program reads at any moment: it is replaced as a whole.
struct MetricsFile: Sendable {
    private let file: ReplacedFile

    /// - Throws: ``CommandFailure`` if it cannot be written: before anything is looked at.
    init(path: String) throws(CommandFailure) {
        file = try ReplacedFile(path, flag: "--metrics")
        try write("")
    }

    func write(_ report: VerifyReport) throws(CommandFailure) { try write(report.metricsText) }

    private func write(_ text: String) throws(CommandFailure) {
        do {
            try file.write(Data(text.utf8))
        } catch {
            throw CommandFailure(
                .refused,
                "--metrics: \(file.url.path) cannot be written: \(SystemReason.text(error)); its "
                    + "directory has to be there, and to let this user write")
        }
    }
}
