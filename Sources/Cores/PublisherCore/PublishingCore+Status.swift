import CacheInvalidation
package import CacheModel
import CacheWire

/// STATUS: the state and the counters of the publisher and its nodes.
extension PublishingCore {
    mutating func answerStatus(_ message: IncomingMessage) throws(WireRefusal) {
        let (requester, now) = (message.requester, message.now)
        try message.view.expectEmpty()
        let report = status(now: now)
        output.reply(to: requester) { report.encode(requestID: requester.requestID, into: &$0) }
    }

    /// The publisher's report about itself, for monitoring.
    package func report(now: Instant) -> PublisherReport {
        PublisherReport(status: status(now: now), applied: receipts.appliedTimes)
    }

    /// Nodes with two running processes, sorted.
    package func duplicateNodes(at now: Instant) -> [NodeID] {
        nodes.grants.duplicateNodes(at: now)
    }

    private func status(now: Instant) -> StatusReport {
        var report = StatusReport(
            role: .publisher, state: log.isStanding ? .live : .syncing, name: "publisher",
            mark: log.isStanding ? log.head : .none)
        report.figures = output.statistics.figures.map { StatusReport.Figure($0.name, $0.value) }
        report.figures += log.figures.map { StatusReport.Figure($0.name, $0.value) }
        report.figures += [
            .init("receipts_waiting", UInt64(receipts.count)),
            .init("follows_waiting", UInt64(follows.count)),
            .init("pacings", UInt64(pacings.table.running.count)),
            .init("log_tail", log.tail.rawValue),
            .init("floors_complete_since", floors?.completeSince.rawValue ?? 0),
            .init("members_settled", ownership.members.stage == .settled ? 1 : 0),
            .init("topology_version", UInt64(topology.version)),
            .init("config_revision", UInt64(plan.configuration.revision)),
        ]
        report.figures += ownership.slots?.figures ?? []
        report.figures += duplicateNodes(at: now).map { .init("duplicate_node:\($0)", 1) }
        if let descriptors {
            report.figures += [
                .init("descriptors", UInt64(descriptors.open)),
                .init("descriptors_max", UInt64(descriptors.max)),
            ]
        }
        report.nodes = plan.nodes.map { nodes.line(for: $0.id, now: now) }
        return report
    }
}
