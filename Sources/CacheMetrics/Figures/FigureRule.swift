/// What becomes of one figure of STATUS.
struct FigureRule: Sendable {
    /// Of how many things it is, where a process has several shards.
    enum Span: Sendable {
        /// Each shard has its own.
        case shard
        /// Every shard says the same of its process: told once.
        case process
    }

    /// The figure's name; where ``tailLabel`` is given, what its name begins with.
    let figure: String
    /// `nil`: it is shown in another way.
    let family: MetricFamily?
    var labels: [MetricLabel] = []
    /// The label that takes the rest of the name.
    var tailLabel: String?
    /// Of what the family counts, so many make one: 1 000 milliseconds are a second.
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

    /// A figure that is shown, but not by this table.
    ///
    /// - Parameter place: where; for those who read the table.
    static func elsewhere(_ figure: String, _ place: String) -> FigureRule {
        FigureRule(figure, nil)
    }

    func with(_ name: String, _ value: String) -> FigureRule {
        var rule = self
        rule.labels.append(MetricLabel(name, value))
        return rule
    }

    /// The rest of the figure's name is a label's value.
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
