import CacheHTTP
import CacheModel
import Logging
import CacheMetrics
import Telemetry
import Testing
import Tracing

@testable import GatewayServer

/// Which requests are recorded, and what their spans say.
@Suite struct RequestSpanTests {
    private static let id = "4bf92f3577b34da6a3ce929d0e0e4736"

    private static func given(_ flags: String) -> FieldList {
        FieldList(["Traceparent": "00-\(id)-00f067aa0ba902b7-\(flags)"])
    }

    /// Nobody listens where its spans would go.
    private func withTracer(share: Double, _ body: (SpanTracer) async throws -> Void) async throws {
        let ratio = try #require(SpanRatio(share: share))
        let exporter = SpanExporter(
            SpanExportOptions(
                place: try CollectorPlace("http://127.0.0.1:1"),
                resource: SpanResource(service: "test", instance: "t")),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        defer { exporter.stop() }
        try await body(SpanTracer(exporter, ratio))
    }

    @Test(
        arguments: [
            ("01", 0.0, true), ("01", 1.0, true), ("00", 0.0, false), ("00", 1.0, false),
            (nil, 0.0, false), (nil, 1.0, true),
        ] as [(String?, Double, Bool)])
    func theParentDecidesAndElseTheRatio(flags: String?, share: Double, isRecorded: Bool)
        async throws
    {
        try await withTracer(share: share) { tracer in
            let fields = flags.map(Self.given) ?? FieldList()
            let trace = RequestTrace(fields, tracer)
            #expect(trace.isRecorded == isRecorded && trace.isGiven == (flags != nil))
            #expect(trace.context.isSampled == isRecorded)
            #expect(trace.parent == (flags == nil ? nil : 0x00f0_67aa_0ba9_02b7))
            try await trace.follow {
                let inside = tracer.startSpan("below", ofKind: .client)
                #expect(inside.isRecording == isRecorded)
                let below = inside.context.traceContext
                #expect(below?.id == (isRecorded ? trace.context.id : nil))
                #expect(RequestTrace.current?.context == trace.context)
            }
            #expect(ServiceContext.current == nil && RequestTrace.current == nil)
        }
    }

    @Test func withoutATracerNothingIsRecordedAndNothingElseChanges() async throws {
        let trace = RequestTrace(Self.given("01"))
        #expect(!trace.isRecorded && trace.context.isSampled, "the next hop may record it")
        try await trace.follow { #expect(ServiceContext.current == nil) }
        #expect(!RequestTrace(FieldList()).context.isSampled)
    }

    @Test func aSpanSaysTheRouteAndNeverTheKey() async throws {
        try await withTracer(share: 0) { tracer in
            let meter = GatewayMeter(spans: tracer, isSecure: true)
            let head = RequestHead("GET", "/v1/images/secret?x=secret", Self.given("01"))
            var visit = Visit(head, meter)
            visit.answers(Answer(503, FieldList(["Cache-Status": "Martlet; fwd=miss"])))
            let span = SpanRecord(visit, head, took: .milliseconds(5))
            #expect(span.name == "GET /v1/{namespace}/{key}" && span.kind == .server)
            #expect(span.end - span.beginning == 5_000_000)
            #expect(span.parent == 0x00f0_67aa_0ba9_02b7 && span.isParentRemote)
            #expect(span.context == visit.trace.context && span.status == .error)
            #expect(
                span.attributes.map(\.name) == [
                    "http.request.method", "http.route", "url.path", "url.scheme",
                    "martlet.cache", "http.response.status_code", "error.type",
                ])
            #expect(span.attributes.contains { $0.value == .text("https") })
            #expect(!"\(span)".contains("secret"))
            visit.end()
            visit.end()
        }
    }

    @Test func anUnknownMethodIsRecordedAsOther() {
        let head = RequestHead("BREW", "/coffee")
        let visit = Visit(head, GatewayMeter())
        let span = SpanRecord(visit, head, took: .zero)
        #expect(span.name == "HTTP" && span.attributes[0].value == .text("_OTHER"))
        #expect(span.attributes.last?.value == .text("connection_lost"), "nothing was answered")
        #expect(span.status == .error && span.parent == nil)
    }
}
