import CacheHTTP
import CacheMetrics
import CacheModel
import GatewayCore
import Testing

@testable import GatewayServer
@testable import MartletClient

@Suite struct GatewayReportTests {
    private let n1: NodeID
    private let n2: NodeID

    init() throws {
        n1 = try #require(NodeID("n1"))
        n2 = try #require(NodeID("n2"))
    }

    private func report(
        _ meter: GatewayMeter, view: ClusterView? = nil, isListening: Bool = true
    ) -> GatewayReport {
        GatewayReport(
            isListening: isListening, view: view, near: n1, nearCache: NearFigures(),
            tally: meter.total,
            connections: meter.connectionCounts, heldValueBytes: 0, pushes: PushFigures(),
            subscribers: [.events: 2])
    }

    private static func view(_ nodes: [NodeID: Bool]) -> ClusterView {
        var view = ClusterView(CacheError(.busy, ""))
        view.failure = nil
        view.nodes = nodes
        return view
    }

    private static let get = [
        MetricLabel("route", "/v1/{namespace}/{key}"), MetricLabel("method", "GET"),
        MetricLabel("status", "2xx"),
    ]

    @Test func theNearCacheIsToldOfWhereThereIsOne() {
        var without = report(GatewayMeter())
        without.nearCache = nil
        #expect(without.page.value("martlet_gateway_near_cache_bytes") == nil)
        var figures = NearFigures()
        (figures.hits, figures.misses, figures.kept) = (1, 2, 3)
        (figures.dropped, figures.expired, figures.evicted) = (4, 5, 6)
        (figures.entries, figures.bytes) = (7, 8)
        var with = without
        with.nearCache = figures
        func value(_ name: String, _ label: (String, String)? = nil) -> MetricValue? {
            with.page.value(
                "martlet_gateway_near_cache_\(name)",
                label.map { [MetricLabel($0.0, $0.1)] } ?? [])
        }
        #expect(value("reads", ("result", "hit")) == .count(1))
        #expect(value("reads", ("result", "miss")) == .count(2))
        #expect(value("kept_values") == .count(3))
        for (cause, count) in [("changed", 4), ("expired", 5), ("evicted", 6)] as [(_, UInt64)] {
            #expect(value("dropped_values", ("cause", cause)) == .count(count))
        }
        #expect(value("values") == .count(7) && value("bytes") == .count(8))
    }

    @Test func spansAreToldOfWhereThereAreAny() {
        var report = report(GatewayMeter())
        let name = "martlet_gateway_spans"
        #expect(report.page.value(name, [MetricLabel("outcome", "exported")]) == nil)
        var figures = SpanFigures()
        figures.exported = 1
        figures.lose(2, .dropped)
        figures.lose(3, .refused)
        figures.lose(4, .failed)
        report.spans = figures
        for (outcome, count) in [
            ("exported", 1), ("dropped", 2), ("refused", 3), ("failed", 4),
        ] as [(String, UInt64)] {
            #expect(report.page.value(name, [MetricLabel("outcome", outcome)]) == .count(count))
        }
    }

    @Test func everyRequestIsInOneSeries() async {
        let meter = GatewayMeter()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    for _ in 0..<20 {
                        var visit = Visit(RequestHead("GET", "/v1/images/a"), meter)
                        visit.answers(Answer(200, body: [1, 2, 3]))
                        visit.end()
                        visit.end()
                    }
                }
            }
        }
        var lost = Visit(RequestHead("BREW", "/coffee"), meter)
        let page = report(meter).page
        #expect(page.value("martlet_gateway_requests", Self.get) == .count(1_000))
        #expect(page.value("martlet_gateway_sent_body_bytes") == .count(3_000))
        #expect(page.value("martlet_gateway_requests_in_flight") == .count(1))
        lost.end()
        let later = report(meter).page
        let none = [
            MetricLabel("route", "other"), MetricLabel("method", "other"),
            MetricLabel("status", "none"),
        ]
        #expect(later.value("martlet_gateway_requests", none) == .count(1))
        #expect(later.value("martlet_gateway_requests_in_flight") == .count(0))
        let duration = later.value(
            "martlet_gateway_request_duration_seconds", [Self.get[0]])
        guard case .histogram(let histogram)? = duration else {
            Issue.record("there is no histogram")
            return
        }
        #expect(histogram.count == 1_000)
    }

    @Test func everyFamilyIsShownOnce() {
        let view = Self.view([n1: true, n2: false])
        var whole = report(GatewayMeter(), view: view)
        whole.spans = SpanFigures()
        let page = whole.page
        #expect(
            Set(page.entries.map(\.family.name)) == Set(GatewayMetrics.families.map(\.name)))
        #expect(page.entries.count == GatewayMetrics.families.count)
    }

    @Test func problemsAndFailuresAreToldByTheirNames() {
        let meter = GatewayMeter()
        meter.refused(.bodyTooLarge)
        meter.failed(CacheError(.timedOut, ""))
        meter.asks(for: .get, count: 10)
        meter.connectionOpened()
        let page = report(meter).page
        #expect(
            page.value(
                "martlet_gateway_problems", [MetricLabel("problem", "body-too-large")])
                == .count(1))
        #expect(
            page.value(
                "martlet_gateway_cluster_failures", [MetricLabel("code", "timed_out")])
                == .count(1))
        #expect(
            page.value(
                "martlet_gateway_cluster_operations", [MetricLabel("operation", "get")])
                == .count(10))
        #expect(page.value("martlet_gateway_open_connections") == .count(1))
        #expect(
            page.value(
                "martlet_gateway_push_subscribers", [MetricLabel("transport", "events")])
                == .count(2))
    }

    @Test func aGatewayIsReadyWhileItReachesANode() {
        let meter = GatewayMeter()
        let all = Self.view([n1: true, n2: true])
        #expect(report(meter, view: all).readiness == .ready)
        #expect(report(meter, view: all, isListening: false).readiness != .ready)
        let one = Self.view([n1: false, n2: true])
        #expect(report(meter, view: one).readiness == .ready && !one.isComplete)
        let none = Self.view([n1: false, n2: false])
        #expect(report(meter, view: none).readiness == .unready("none of 2 nodes answers"))
        let unknown = ClusterView(CacheError(.disconnected, "nobody is there"))
        #expect(report(meter, view: unknown).readiness != .ready)
    }
}
