/// Maps figures of STATUS to metrics: one rule for each figure. A figure without a rule is not
/// exported; tests check that there is none.
package struct FigureTable: Sendable {
    private let exact: [String: FigureRule]
    private let beginnings: [FigureRule]
    /// In the order of the table.
    package let families: [MetricFamily]

    init(_ rules: [FigureRule]) {
        var exact: [String: FigureRule] = [:]
        var beginnings: [FigureRule] = []
        var families: [MetricFamily] = []
        for rule in rules {
            if rule.tailLabel == nil {
                exact[rule.figure] = rule
            } else {
                beginnings.append(rule)
            }
            if let family = rule.family, !families.contains(family) { families.append(family) }
        }
        self.exact = exact
        self.beginnings = beginnings
        self.families = families
    }

    /// Whether there is a rule for it.
    package func knows(_ figure: String) -> Bool { rule(for: figure) != nil }

    private func rule(for figure: String) -> FigureRule? {
        exact[figure] ?? beginnings.first { figure.hasPrefix($0.figure) }
    }

    /// Adds a figure to a page.
    package func add(
        _ figure: String, _ value: UInt64, of owner: FigureOwner, to page: inout MetricPage
    ) {
        guard let rule = rule(for: figure), let family = rule.family else { return }
        guard rule.span == .shard || owner.isFirst else { return }
        var labels = owner.labels
        if rule.span == .shard, let shard = owner.shard { labels.append(shard) }
        labels += rule.labels
        if let label = rule.tailLabel {
            let tail = String(figure.dropFirst(rule.figure.count))
            labels.append(MetricLabel(label, label == "namespace" ? tail : LabelText.snake(tail)))
        }
        if rule.divisor == 1 {
            page.add(family, labels, .count(value))
        } else {
            page.add(family, labels, .number(Double(value) / Double(rule.divisor)))
        }
    }
}
