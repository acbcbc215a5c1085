import CacheHTTP
package import CacheMetrics
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
        for metric in GatewayMetric.all {
            guard let samples = metric.samples(self) else { continue }
            page.begin(metric.family)
            for sample in samples { page.add(metric.family, sample.labels, sample.value) }
        }
        return page
    }

    fileprivate var requestSamples: GatewayMetric.Samples {
        var samples: GatewayMetric.Samples = []
        for (index, route) in GatewayTally.routes.enumerated() {
            for (method, methodName) in GatewayTally.methods.enumerated() {
                for (statusClass, status) in GatewayTally.classes.enumerated() {
                    let count = tally.requestCount(index, method: method, statusClass: statusClass)
                    guard count > 0 else { continue }
                    let labels = [
                        Self.label(route), MetricLabel("method", methodName),
                        MetricLabel("status", status),
                    ]
                    samples.append((labels, .count(count)))
                }
            }
        }
        return samples
    }

    fileprivate var durationSamples: GatewayMetric.Samples {
        zip(GatewayTally.routes, tally.durations).filter { $1.count > 0 }
            .map { ([Self.label($0)], .histogram($1)) }
    }

    private static func label(_ route: ResourceShape?) -> MetricLabel {
        MetricLabel("route", route?.rawValue ?? "other")
    }

    fileprivate var failures: [(String, UInt64)] {
        tally.failures.sorted { "\($0.key)" < "\($1.key)" }
            .map { (LabelText.snake("\($0.key)"), $0.value) }
    }

    /// - Returns: `nil`: there is none.
    fileprivate func nodesReached(where isShown: (NodeID) -> Bool) -> [(String, UInt64)]? {
        let nodes = view?.nodes.filter { isShown($0.key) } ?? [:]
        guard !nodes.isEmpty else { return nil }
        return nodes.sorted { $0.key.name < $1.key.name }.map { ($0.key.name, $0.value ? 1 : 0) }
    }
}

/// A metric of a gateway, and where its samples come from.
struct GatewayMetric: Sendable {
    typealias Samples = [(labels: [MetricLabel], value: MetricValue)]

    let family: MetricFamily
    /// `nil`: the family is left out.
    let samples: @Sendable (GatewayReport) -> Samples?

    private init(
        _ kind: MetricFamily.Kind, _ name: String, _ help: String,
        samples: @escaping @Sendable (GatewayReport) -> Samples?
    ) {
        family = MetricFamily(kind, "martlet_gateway_" + name, help)
        self.samples = samples
    }

    private static func one(
        _ kind: MetricFamily.Kind, _ name: String, _ help: String,
        _ value: @escaping @Sendable (GatewayReport) -> UInt64?
    ) -> GatewayMetric {
        GatewayMetric(kind, name, help) { value($0).map { [([], .count($0))] } }
    }

    private static func each(
        _ label: String, _ kind: MetricFamily.Kind, _ name: String, _ help: String,
        _ values: @escaping @Sendable (GatewayReport) -> [(String, UInt64)]?
    ) -> GatewayMetric {
        GatewayMetric(kind, name, help) { report in
            values(report)?.map { ([MetricLabel(label, $0.0)], .count($0.1)) }
        }
    }

    /// In the order of the page.
    static let all =
        requests + connections + cluster + nearCache + pushes + [
            each(
                "outcome", .counter, "spans",
                "Spans by what became of them: exported, dropped, refused, failed."
            ) { $0.spans?.outcomes }
        ]

    private static let requests = [
        GatewayMetric(.counter, "requests", "Requests that ended, by what they were for.") {
            $0.requestSamples
        },
        GatewayMetric(
            .histogram, "request_duration_seconds",
            "From the head of a request to its answer, without those of subscribers that stay."
        ) { $0.durationSamples },
        one(.gauge, "requests_in_flight", "Requests under way.") {
            $0.tally.begun - min($0.tally.ended, $0.tally.begun)
        },
        one(.counter, "received_body_bytes", "Bodies of requests.") { $0.tally.receivedBytes },
        one(.counter, "sent_body_bytes", "Bodies of answers.") { $0.tally.sentBytes },
        each(
            "problem", .counter, "problems",
            "Requests that were refused or failed; a key that is absent is neither."
        ) { report in
            ProblemKind.allCases.filter { $0 != .notFound }
                .map { ($0.rawValue, report.tally.problems[$0] ?? 0) }
        },
    ]

    private static let connections = [
        one(.counter, "connections_opened", "Connections accepted.") { $0.connections.opened },
        one(
            .counter, "connections_refused",
            "Times a connection could not be accepted, for want of descriptors; 0 is healthy."
        ) { $0.connections.refused },
        one(.gauge, "open_connections", "Connections that are open.") {
            UInt64(max($0.connections.open, 0))
        },
        one(.gauge, "held_value_bytes", "Long values that wait to be stored or sent.") {
            UInt64(max($0.heldValueBytes, 0))
        },
    ]

    private static let cluster = [
        each(
            "operation", .counter, "cluster_operations",
            "Operations that the cluster was asked for; each key is one."
        ) { report in
            ClusterOperation.allCases.map { ("\($0)", report.tally.operations[$0.rawValue]) }
        },
        each(
            "code", .counter, "cluster_failures",
            "Operations that failed, by the code of the client."
        ) { $0.failures },
        one(
            .gauge, "publisher_reached",
            "1 if the publisher answered when it was asked last; else 0."
        ) { $0.view.map { $0.isPublisherReached ? 1 : 0 } },
        each(
            "node", .gauge, "node_reached",
            "1 if the node answered when it was asked last; else 0."
        ) { $0.nodesReached { _ in true } },
        each(
            "node", .gauge, "near_node_reached",
            "The same of the node of --near; absent without one."
        ) { report in report.nodesReached { $0 == report.near } },
    ]

    private static let nearCache = [
        each(
            "result", .counter, "near_cache_reads",
            "Reads by what the near cache made of them; absent without one."
        ) { $0.nearCache.map { [("hit", $0.hits), ("miss", $0.misses)] } },
        one(.counter, "near_cache_kept_values", "Nodes' answers that were kept.") {
            $0.nearCache?.kept
        },
        each(
            "cause", .counter, "near_cache_dropped_values",
            "Values dropped, by cause: changed, expired, evicted."
        ) {
            $0.nearCache.map {
                [("changed", $0.dropped), ("expired", $0.expired), ("evicted", $0.evicted)]
            }
        },
        one(.gauge, "near_cache_values", "Values that are held.") {
            $0.nearCache.map { UInt64($0.entries) }
        },
        one(.gauge, "near_cache_bytes", "What they take.") {
            $0.nearCache.map { UInt64($0.bytes) }
        },
    ]

    private static let pushes = [
        each("transport", .gauge, "push_subscribers", "Subscribers of the stream.") { report in
            PushTransport.allCases.map { ($0.rawValue, UInt64(report.subscribers[$0] ?? 0)) }
        },
        one(.counter, "push_subscriptions", "Subscribers that were admitted.") {
            $0.pushes.accepted
        },
        one(
            .counter, "push_refused_subscriptions",
            "Subscribers that were refused: there were too many."
        ) { $0.pushes.refused },
        one(
            .counter, "push_resumed_subscriptions", "Subscribers that came back with a position."
        ) { $0.pushes.resumed },
        one(.counter, "push_messages", "Messages sent, each subscriber's counted.") {
            $0.pushes.sent
        },
        one(
            .counter, "push_replayed_messages", "Of them, records that a subscriber had missed."
        ) { $0.pushes.replayed },
        one(.counter, "push_records", "Records of the log that came.") { $0.pushes.records },
        one(
            .counter, "push_cut_subscribers",
            "Subscribers that were cut because they read too slowly."
        ) { $0.pushes.cut },
        one(
            .counter, "push_gone",
            "Times a subscriber was told that what it missed is not kept any more."
        ) { $0.pushes.gone },
        one(.gauge, "push_kept_records", "Records kept for subscribers that reconnect.") {
            UInt64($0.pushes.ringRecords)
        },
        one(.gauge, "push_kept_bytes", "What those records take.") { UInt64($0.pushes.ringBytes) },
        one(.gauge, "push_waiting_bytes", "Messages that subscribers have not taken yet.") {
            UInt64($0.pushes.waitingBytes)
        },
    ]
}

/// Names of a gateway's metrics, for code that lists them.
package enum GatewayMetrics {
    package static var families: [MetricFamily] { GatewayMetric.all.map(\.family) }
}
