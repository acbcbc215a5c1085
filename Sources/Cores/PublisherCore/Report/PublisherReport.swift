package import CacheMetrics
import CacheModel
package import CacheWire

/// A publisher's report for monitoring: the STATUS report, and values that are not in it.
package struct PublisherReport: HealthReport {
    package let status: StatusReport
    /// Time from the append of a record to a node's acknowledgement, for records with an awaited
    /// receipt; one sample for each node.
    package let applied: DurationHistogram

    package init(status: StatusReport, applied: DurationHistogram) {
        self.status = status
        self.applied = applied
    }

    /// Whether the publisher should receive work.
    package var readiness: Readiness {
        guard status.state == .live else {
            return .unready("\(status.state): it asks its nodes for the log's position")
        }
        return status.figure("log_refusing") == 0
            ? .ready
            : .unready("it refuses invalidations: its log cannot be written; its log says why")
    }

    package var page: MetricPage {
        var page = MetricPage()
        let head = status.mark.position
        page.add(Family.live, .count(status.state == .live ? 1 : 0))
        page.add(Family.headEpoch, .count(UInt64(head.epoch.rawValue)))
        page.add(Family.headSequence, .count(head.sequence.rawValue))
        page.add(Family.applied, .histogram(applied))
        for figure in status.figures {
            FigureTable.publisher.add(figure.name, figure.value, of: FigureOwner(), to: &page)
        }
        for line in status.nodes { add(line, to: &page) }
        return page
    }

    private func add(_ line: StatusReport.NodeLine, to page: inout MetricPage) {
        let node = [MetricLabel("node", line.node.name)]
        page.add(Family.nodeLive, node, .count(line.state == .live ? 1 : 0))
        page.add(
            Family.grant, node, .number(Double(line.grantLeftMilliseconds) / 1_000))
        page.add(Family.nodeSequence, node, .count(line.applied.sequence.rawValue))
        let head = status.mark.position
        guard line.applied.epoch == head.epoch else { return }
        let lag = head.sequence.rawValue - min(line.applied, head).sequence.rawValue
        page.add(Family.nodeLag, node, .count(lag))
    }
}

extension PublisherReport {
    /// Every metric of a publisher.
    package static let families =
        [
            Family.live, Family.headEpoch, Family.headSequence, Family.applied, Family.nodeLive,
            Family.grant, Family.nodeSequence, Family.nodeLag,
        ] + FigureTable.publisher.families

    /// Families that are in no table.
    enum Family {
        static let live = MetricFamily(
            .gauge, "martlet_publisher_live",
            "1 if the publisher knows its log's position; else 0.")
        static let headEpoch = MetricFamily(
            .gauge, "martlet_publisher_head_epoch", "Epoch of the newest record.")
        static let headSequence = MetricFamily(
            .gauge, "martlet_publisher_head_sequence",
            "Number of the newest record, within its epoch.")
        static let applied = MetricFamily(
            .histogram, "martlet_publisher_publish_to_applied_seconds",
            "From the append of a record to a node's report that it is applied, for each node, "
                + "of records with a receipt that a client waited for. A node that had not applied "
                + "it when the wait ended is not in it.")
        static let nodeLive = MetricFamily(
            .gauge, "martlet_publisher_node_live",
            "1 if the node is live as far as the publisher knows; else 0.")
        static let grant = MetricFamily(
            .gauge, "martlet_publisher_node_grant_seconds",
            "For how long the node may still call what it holds fresh; 0 without a grant.")
        static let nodeSequence = MetricFamily(
            .gauge, "martlet_publisher_node_applied_sequence",
            "Number of the newest record that the node reported as applied.")
        static let nodeLag = MetricFamily(
            .gauge, "martlet_publisher_node_lag_records",
            "Records that the node has not reported as applied.")
    }
}
