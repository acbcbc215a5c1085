import CacheModel
import CacheVerification

extension VerifyReport {
    /// The figures in the text form that Prometheus reads.
    var metricsText: String {
        let tally = check.tally
        var text = PrometheusLines()
        text.add("records_total", "Records of the log that were heard.", tally.recordCount)
        text.add("samples_total", "Keys that were sampled.", tally.sampledCount)
        text.add("violations_total", "Answers that broke a promise.", tally.wrongCount)
        text.add("differing_total", "Looks with different versions.", tally.differingCount)
        text.add("log_losses_total", "Times the log could not be followed.", tally.lossCount)
        text.begin("answers_total", "What nodes answered, by finding.", isCounter: true)
        for line in lines {
            guard let node = line.node else { continue }
            let figures = line.figures
            for (finding, count) in [
                ("right", figures.right), ("behind", figures.behind), ("wrong", figures.wrong),
                ("unknown", figures.unknown), ("unanswered", figures.unanswered),
            ] {
                text.line(
                    "answers_total", "\(Self.labels(line.delay, node)),finding=\"\(finding)\"",
                    "\(count)")
            }
        }
        text.begin("following", "Whether the publisher is heard.", isCounter: false)
        let isHeard = silence.map { $0 <= TailSilence.patience } ?? false
        text.line("following", "", isHeard ? "1" : "0")
        text.begin("open_samples", "Samples whose last look is not over.", isCounter: false)
        text.line("open_samples", "", "\(check.openCount)")
        text.begin(
            "late_seconds", "How much later than their delay nodes were asked, at most.",
            isCounter: false)
        for (delay, lateness) in zip(check.plan.delays, check.lateness) {
            text.line(
                "late_seconds", "after=\"\(FigureText.timeLeft(delay))\"",
                "\(lateness.most / .seconds(1))")
        }
        text.begin(
            "nines", "How consistent answers were, in nines; at least so many where none was bad.",
            isCounter: false)
        for line in lines {
            guard let node = line.node else { continue }
            switch line.figures.nines {
            case .unknown: break
            case .exactly(let tenths), .atLeast(let tenths):
                text.line("nines", Self.labels(line.delay, node), "\(Double(tenths) / 10)")
            }
        }
        addOrigins(to: &text)
        return text.text
    }

    private static func labels(_ delay: Duration, _ node: NodeID) -> String {
        // A node's name has no character that would need an escape.
        "after=\"\(FigureText.timeLeft(delay))\",node=\"\(node)\""
    }
}
