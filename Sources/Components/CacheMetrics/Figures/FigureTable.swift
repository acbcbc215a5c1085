/// Maps figures of STATUS to metrics: one rule for each metric. A figure without a rule is not
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
                for figure in rule.figures { exact[figure.name] = rule }
            } else {
                beginnings.append(rule)
            }
            if let family = rule.family, !families.contains(family) { families.append(family) }
        }
        self.exact = exact
        self.beginnings = beginnings
        self.families = families
    }

    package func knows(_ figure: String) -> Bool { rule(for: figure) != nil }

    private func rule(for figure: String) -> FigureRule? {
        exact[figure] ?? beginnings.first { figure.hasPrefix($0.figures[0].name) }
    }

    package func add(
        _ figure: String, _ value: UInt64, of owner: FigureOwner, to page: inout MetricPage
    ) {
        guard let rule = rule(for: figure), let family = rule.family else { return }
        guard rule.span == .shard || owner.isFirst else { return }
        var labels = owner.labels
        if rule.span == .shard, let shard = owner.shard { labels.append(shard) }
        labels += rule.labels(of: figure)
        if rule.divisor == 1 {
            page.add(family, labels, .count(value))
        } else {
            page.add(family, labels, .number(Double(value) / Double(rule.divisor)))
        }
    }
}

extension FigureTable {
    /// Figures of a node's control thread.
    package static let control = FigureTable([
        .elsewhere("applied_records", "martlet_node_applied_records, of each shard"),
        .elsewhere("forgettings", "martlet_node_forgettings, of each shard"),
        .elsewhere("newer_records", "martlet_node_newer_records, of each shard"),
        .counter(
            "replayed_records", "martlet_node_replayed_records",
            "Records that came by a replay, and not by the live channel."),
        .counter("replay_requests", "martlet_node_replay_requests", "Replays asked for."),
        .counter(
            "gaps", "martlet_node_gaps", "Times a number was missing in what the log had sent."),
        .counter(
            "floor_snapshots", "martlet_node_floor_snapshots",
            "Times the publisher told what was touched while the node slept."),
        .counter(
            "divergences", "martlet_node_divergences",
            "Times the publisher's log contradicted what was applied; 0 is healthy."),
        .counter(
            "resubscriptions", "martlet_node_resubscriptions",
            "Reconnections of the live channel after silence."),
        .counter(
            "greetings", "martlet_node_greetings",
            "Times the node introduced itself to the publisher: once, and after each silence."),
        .counter(
            "damaged_frames", "martlet_node_damaged_frames",
            "Frames of the publisher that could not be read."),
        .counter(
            "publishes", "martlet_node_publishes",
            "Invalidations that this node's clients caused, handed to the publisher."),
        .counter(
            "publish_failures", "martlet_node_publish_failures",
            "Invalidations of this node's clients that failed, as far as is known."),
        .counter(
            "calendar_jumps", "martlet_node_calendar_jumps",
            "Leases given up because the calendar went on by more than the machine's clock."),
        .counter(
            "head_questions", "martlet_node_head_questions",
            "Questions for the publisher's head; several strong reads may share one."),
    ])
}
