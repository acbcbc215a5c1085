/// How one figure of STATUS becomes a metric.
struct FigureRule: Sendable {
    /// What a figure describes, if a process has several shards.
    enum Span: Sendable {
        /// Each shard has its own value.
        case shard
        /// Every shard reports the same value of its process: exported once.
        case process
    }

    /// The figure's name; with ``tailLabel``, the beginning of the name.
    let figure: String
    /// `nil`: exported in another way.
    let family: MetricFamily?
    var labels: [MetricLabel] = []
    /// The label that takes the rest of the name.
    var tailLabel: String?
    /// Divides the figure into the unit of the family: 1 000 for milliseconds to seconds.
    var divisor: UInt64 = 1
    var span = Span.shard

    private init(_ figure: String, _ family: MetricFamily?) {
        self.figure = figure
        self.family = family
    }

    static func counter(_ figure: String, _ name: String, _ help: String) -> FigureRule {
        FigureRule(figure, MetricFamily(.counter, name, help))
    }

    static func gauge(_ figure: String, _ name: String, _ help: String) -> FigureRule {
        FigureRule(figure, MetricFamily(.gauge, name, help))
    }

    /// A figure that is exported, but not by this table.
    ///
    /// - Parameter place: where it is exported; for readers of the table.
    static func elsewhere(_ figure: String, _ place: String) -> FigureRule {
        FigureRule(figure, nil)
    }

    func with(_ name: String, _ value: String) -> FigureRule {
        var rule = self
        rule.labels.append(MetricLabel(name, value))
        return rule
    }

    /// Uses the rest of the figure's name as a label's value.
    func tail(_ label: String) -> FigureRule {
        var rule = self
        rule.tailLabel = label
        return rule
    }

    func each(_ divisor: UInt64) -> FigureRule {
        var rule = self
        rule.divisor = divisor
        return rule
    }

    var once: FigureRule {
        var rule = self
        rule.span = .process
        return rule
    }
}
