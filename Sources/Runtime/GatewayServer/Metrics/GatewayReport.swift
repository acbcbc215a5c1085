import CacheHTTP
import CacheMetrics
import CacheModel
import MartletClient
import GatewayCore

/// The health report of a gateway.
struct GatewayReport: HealthReport {
    /// Whether it listens.
    var isListening: Bool
    /// `nil`: no check yet.
    var view: ClusterView?
    /// The node that is asked first if nodes are replicas.
    var near: NodeID?
    /// Counters of the near cache; `nil` without one.
    var nearCache: NearFigures?
    /// Counters of spans; `nil` if none are recorded.
    var spans: SpanFigures?
    var tally: GatewayTally
    var connections: (opened: UInt64, open: Int, refused: UInt64)
    var heldValueBytes: Int
    var pushes: PushFigures
    /// By transport.
    var subscribers: [PushTransport: Int]

    /// A gateway is ready once it has reached its nodes, or waited long enough for them, and while
    /// it reaches one. It stays ready while a single node is away: every other gateway misses that
    /// node, too.
    var readiness: Readiness {
        guard isListening else { return .unready("the gateway looks for the nodes of its cluster") }
        guard let view else { return .ready }
        if let failure = view.failure {
            return .unready("the nodes of the cluster are not known: \(failure)")
        }
        guard view.reachedNodes > 0 else {
            return .unready("none of \(view.nodes.count) nodes answers")
        }
        return .ready
    }

    var page: MetricPage {
        var page = MetricPage()
        addRequests(to: &page)
        addConnections(to: &page)
        addCluster(to: &page)
        addNearCache(to: &page)
        addPushes(to: &page)
        for (outcome, count) in spans?.outcomes ?? [] {
            page.add(Family.spans, [MetricLabel("outcome", outcome)], .count(count))
        }
        return page
    }

    private func addRequests(to page: inout MetricPage) {
        for family in [Family.requests, Family.durations] { page.begin(family) }
        for route in GatewayRoute.allCases {
            let label = MetricLabel("route", route.label)
            for (method, methodName) in GatewayTally.methods.enumerated() {
                for (index, name) in GatewayTally.classes.enumerated() {
                    let count = tally.requestCount(route, method: method, statusClass: index)
                    guard count > 0 else { continue }
                    page.add(
                        Family.requests,
                        [label, MetricLabel("method", methodName), MetricLabel("status", name)],
                        .count(count))
                }
            }
            let durations = tally.durations[route.rawValue]
            if durations.count > 0 { page.add(Family.durations, [label], .histogram(durations)) }
        }
        page.add(Family.inFlight, .count(tally.begun - min(tally.ended, tally.begun)))
        page.add(Family.receivedBytes, .count(tally.receivedBytes))
        page.add(Family.sentBytes, .count(tally.sentBytes))
        for kind in ProblemKind.allCases where kind != .notFound {
            let label = MetricLabel("problem", kind.rawValue)
            page.add(Family.problems, [label], .count(tally.problems[kind] ?? 0))
        }
    }

    private func addConnections(to page: inout MetricPage) {
        page.add(Family.connectionsOpened, .count(connections.opened))
        page.add(Family.refusedConnections, .count(connections.refused))
        page.add(Family.openConnections, .count(UInt64(max(connections.open, 0))))
        page.add(Family.heldBytes, .count(UInt64(max(heldValueBytes, 0))))
    }

    private func addCluster(to page: inout MetricPage) {
        for operation in ClusterOperation.allCases {
            let label = MetricLabel("operation", operation.label)
            page.add(Family.operations, [label], .count(tally.operations[operation.rawValue]))
        }
        page.begin(Family.failures)
        for (code, count) in tally.failures.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            page.add(
                Family.failures, [MetricLabel("code", LabelText.snake("\(code)"))], .count(count))
        }
        guard let view else { return }
        page.add(Family.publisherReached, .count(view.isPublisherReached ? 1 : 0))
        for (node, isReached) in view.nodes.sorted(by: { $0.key.name < $1.key.name }) {
            let labels = [MetricLabel("node", node.name)]
            page.add(Family.nodeReached, labels, .count(isReached ? 1 : 0))
            if node == near { page.add(Family.nearReached, labels, .count(isReached ? 1 : 0)) }
        }
    }

    private func addNearCache(to page: inout MetricPage) {
        guard let nearCache else { return }
        for (result, count) in [("hit", nearCache.hits), ("miss", nearCache.misses)] {
            page.add(Family.nearReads, [MetricLabel("result", result)], .count(count))
        }
        page.add(Family.nearKept, .count(nearCache.kept))
        for (cause, count) in [
            ("changed", nearCache.dropped), ("expired", nearCache.expired),
            ("evicted", nearCache.evicted),
        ] {
            page.add(Family.nearDropped, [MetricLabel("cause", cause)], .count(count))
        }
        page.add(Family.nearValues, .count(UInt64(nearCache.entries)))
        page.add(Family.nearBytes, .count(UInt64(nearCache.bytes)))
    }

    private func addPushes(to page: inout MetricPage) {
        for transport in PushTransport.allCases {
            page.add(
                Family.subscribers, [MetricLabel("transport", transport.rawValue)],
                .count(UInt64(subscribers[transport] ?? 0)))
        }
        page.add(Family.subscriptions, .count(pushes.accepted))
        page.add(Family.refusedSubscriptions, .count(pushes.refused))
        page.add(Family.resumed, .count(pushes.resumed))
        page.add(Family.pushed, .count(pushes.sent))
        page.add(Family.replayed, .count(pushes.replayed))
        page.add(Family.records, .count(pushes.records))
        page.add(Family.cut, .count(pushes.cut))
        page.add(Family.gone, .count(pushes.gone))
        page.add(Family.ringRecords, .count(UInt64(pushes.ringRecords)))
        page.add(Family.ringBytes, .count(UInt64(pushes.ringBytes)))
        page.add(Family.waitingBytes, .count(UInt64(pushes.waitingBytes)))
    }
}
