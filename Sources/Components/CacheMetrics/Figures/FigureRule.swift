/// How figures of STATUS become one metric.
struct FigureRule: Sendable {
    /// What a figure describes, if a process has several shards.
    enum Span: Sendable {
        /// Each shard has its own value.
        case shard
        /// Every shard reports the same value of its process: exported once.
        case process
    }

    /// The figures of the metric, each with its value of ``label``; with ``tailLabel``, the
    /// beginning of their names.
    let figures: [(name: String, value: String)]
    /// `nil`: exported in another way.
    var family: MetricFamily?
    /// The label that distinguishes the figures.
    var label: String?
    /// The label that takes the rest of the name.
    var tailLabel: String?
    /// Divides the figure into the unit of the family: 1 000 for milliseconds to seconds.
    var divisor: UInt64 = 1
    var span = Span.shard

    static func counter(
        _ figure: String, _ name: String, _ help: String, tail: String? = nil
    ) -> FigureRule {
        FigureRule(
            figures: [(figure, "")], family: MetricFamily(.counter, name, help), tailLabel: tail)
    }

    static func gauge(
        _ figure: String, _ name: String, _ help: String, tail: String? = nil,
        divisor: UInt64 = 1
    ) -> FigureRule {
        FigureRule(
            figures: [(figure, "")], family: MetricFamily(.gauge, name, help), tailLabel: tail,
            divisor: divisor)
    }

    /// A gauge of the process, which all its shards report.
    static func processGauge(
        _ figure: String, _ name: String, _ help: String, divisor: UInt64 = 1
    ) -> FigureRule {
        var rule = gauge(figure, name, help, divisor: divisor)
        rule.span = .process
        return rule
    }

    /// - Parameter figures: each with its value of the label.
    static func counters(
        _ name: String, _ help: String, by label: String,
        _ figures: KeyValuePairs<String, String>
    ) -> FigureRule {
        FigureRule(
            figures: figures.map { ($0.key, $0.value) },
            family: MetricFamily(.counter, name, help), label: label)
    }

    /// - Parameter figures: each with its value of the label.
    static func gauges(
        _ name: String, _ help: String, by label: String,
        _ figures: KeyValuePairs<String, String>
    ) -> FigureRule {
        FigureRule(
            figures: figures.map { ($0.key, $0.value) },
            family: MetricFamily(.gauge, name, help), label: label)
    }

    /// A figure that is exported, but not by this table.
    ///
    /// - Parameter place: where it is exported; for readers of the table.
    static func elsewhere(_ figure: String, _ place: String) -> FigureRule {
        FigureRule(figures: [(figure, "")])
    }

    /// Whether the tail is a name that users have given, and no word of ours.
    private var isVerbatim: Bool { tailLabel == "namespace" || tailLabel == "member" }

    /// A figure that is for STATUS alone, whatever the rest of its name.
    static func unexported(beginning: String) -> FigureRule {
        FigureRule(figures: [(beginning, "")], tailLabel: "")
    }

    /// The labels of a figure beside those of its owner.
    func labels(of figure: String) -> [MetricLabel] {
        if let tailLabel {
            let tail = String(figure.dropFirst(figures[0].name.count))
            return [MetricLabel(tailLabel, isVerbatim ? tail : LabelText.snake(tail))]
        }
        guard let label, let own = figures.first(where: { $0.name == figure }) else { return [] }
        return [MetricLabel(label, own.value)]
    }
}
