import CacheLoading
package import CacheMetrics
import CacheModel
import CacheWire

/// The report as metrics. Every sample of a node has the node's name as a label.
extension NodeReport {
    package var page: MetricPage {
        var page = MetricPage()
        addStanding(to: &page)
        for (place, shard) in shards.enumerated() { add(shard, isFirst: place == 0, to: &page) }
        for (name, value) in control.figures {
            FigureTable.control.add(name, value, of: FigureOwner(owner), to: &page)
        }
        addOrigins(to: &page)
        for (outcome, count) in spans {
            page.add(Family.spans, owner + [MetricLabel("outcome", outcome)], .count(count))
        }
        return page
    }

    private var owner: [MetricLabel] { [MetricLabel("node", node.name)] }

    private func addStanding(to page: inout MetricPage) {
        guard let spokesman else { return }
        let run = MetricLabel("incarnation", "\(spokesman.incarnation.rawValue)")
        page.add(Family.info, owner + [run], .count(1))
        for state in NodeState.allCases {
            let label = MetricLabel("state", state.label)
            page.add(
                Family.state, owner + [label], .count(spokesman.status.state == state ? 1 : 0))
        }
        page.begin(Family.notLive)
        guard let reason = spokesman.reason else { return }
        let label = MetricLabel("reason", LabelText.snake("\(reason)"))
        page.add(Family.notLive, owner + [label], .count(1))
    }

    private func add(_ report: ShardReport, isFirst: Bool, to page: inout MetricPage) {
        let shard = MetricLabel("shard", "\(report.shard.rawValue)")
        let labels = owner + [shard]
        let (applied, head) = (report.status.mark.position, report.head)
        page.add(Family.appliedEpoch, labels, .count(UInt64(applied.epoch.rawValue)))
        page.add(Family.appliedSequence, labels, .count(applied.sequence.rawValue))
        if head.epoch == applied.epoch {
            let lag = head.sequence.rawValue - min(applied, head).sequence.rawValue
            page.add(Family.lag, labels, .count(lag))
        }
        page.add(Family.loads, labels, .histogram(report.loads))
        if let turns = report.turns { page.add(Family.turns, labels, .histogram(turns)) }
        for (cause, count) in report.unsent {
            page.add(Family.unsent, labels + [MetricLabel("cause", cause)], .count(count))
        }
        let teller = FigureOwner(owner, shard: shard, isFirst: isFirst)
        for figure in report.status.figures {
            FigureTable.shards.add(figure.name, figure.value, of: teller, to: &page)
        }
    }

    private func addOrigins(to page: inout MetricPage) {
        page.add(Family.peerQuestions, owner, .count(peers.questions))
        page.add(Family.peerAnswers, owner, .count(peers.answers))
        page.add(Family.peerFailures, owner, .count(peers.askedInVain))
        for (namespace, gate) in gates.sorted(by: { $0.key.name < $1.key.name }) {
            add(gate, of: owner + [MetricLabel("namespace", namespace.name)], to: &page)
        }
    }

    private func add(
        _ gate: GateStatistics, of labels: [MetricLabel], to page: inout MetricPage
    ) {
        page.add(Family.originAsked, labels, .count(UInt64(gate.asked)))
        for (kind, count) in [("first", gate.started), ("retry", gate.retried)] {
            let label = MetricLabel("kind", kind)
            page.add(Family.originAttempts, labels + [label], .count(UInt64(count)))
        }
        page.add(Family.originAnswers, labels, .count(UInt64(gate.answered)))
        for failure in LoadFailure.allCases {
            let label = MetricLabel("cause", LabelText.snake("\(failure)"))
            page.add(Family.originFailures, labels + [label], .count(UInt64(gate[failure])))
        }
        page.add(Family.breakerOpenings, labels, .count(UInt64(gate.opened)))
        page.add(Family.breaker, labels, .count(UInt64(gate.breaker.rawValue)))
        page.add(Family.originInFlight, labels, .count(UInt64(gate.inFlight)))
        page.add(Family.originLimit, labels, .count(UInt64(gate.limit)))
        page.add(Family.originWaiting, labels, .count(UInt64(gate.waiting)))
    }
}

extension NodeState {
    /// As a label value.
    package var label: String {
        description.lowercased().split(separator: " ").joined(separator: "_")
    }
}
