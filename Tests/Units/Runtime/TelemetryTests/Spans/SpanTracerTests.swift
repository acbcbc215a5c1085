import CacheModel
import Logging
import CacheMetrics
import Telemetry
import Testing
import Tracing

@Suite struct SpanTracerTests {
    /// Nobody listens on port 1, so that spans are counted and lost when it is stopped.
    private func withTracer(
        share: Double, _ body: (SpanTracer) throws -> Void
    ) throws -> SpanFigures {
        let ratio = try #require(SpanRatio(share: share))
        let exporter = SpanExporter(
            SpanExportOptions(
                place: try CollectorPlace("http://127.0.0.1:1"),
                resource: SpanResource(service: "test", instance: "t")),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        defer { exporter.stop() }
        try body(SpanTracer(exporter, ratio))
        exporter.stop()
        return exporter.figures
    }

    private struct Fields: Injector, Extractor {
        func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
            carrier[key] = value
        }
        func extract(key: String, from carrier: [String: String]) -> String? { carrier[key] }
    }

    @Test func aSpanBelowAnotherIsOfItsTrace() throws {
        let figures = try withTracer(share: 1) { tracer in
            let outer = tracer.startSpan("outer", context: .topLevel)
            let inner = tracer.startSpan("inner", context: outer.context)
            var carrier: [String: String] = [:]
            tracer.inject(inner.context, into: &carrier, using: Fields())
            let told = try #require(
                carrier["traceparent"].flatMap { TraceContext(traceparent: $0) })
            let outerTrace = try #require(outer.context.traceContext)
            #expect(told.id == outerTrace.id && told.span != outerTrace.span && told.isSampled)
            var context = ServiceContext.topLevel
            tracer.extract(carrier, into: &context, using: Fields())
            #expect(context.traceContext == told)
            inner.end()
            inner.end()
            outer.end()
            #expect(!outer.isRecording)
        }
        #expect(figures.failed == 2, "each is sent once, and nobody is there")
    }

    @Test func whatIsNotRecordedHasNothingRecordedBelowIt() throws {
        let figures = try withTracer(share: 0) { tracer in
            let outer = tracer.startSpan("outer", context: .topLevel)
            let inner = tracer.startSpan("inner", context: outer.context)
            #expect(!outer.isRecording && !inner.isRecording)
            inner.end()
            outer.end()
        }
        #expect(figures == SpanFigures())
    }

    @Test(arguments: [(0.0, UInt8(1), 1), (1.0, 0, 0)] as [(Double, UInt8, UInt64)])
    func aParentDecidesWhateverTheShareIs(share: Double, flags: UInt8, count: UInt64) throws {
        let figures = try withTracer(share: share) { tracer in
            let around = SpanTracer.surroundings(of: Sample.context(flags: flags))
            tracer.startSpan("below", context: around).end()
        }
        #expect(figures.failed == count && figures.lostCount == count)
    }

    @Test func inSilenceNothingIsRecorded() throws {
        let figures = try withTracer(share: 1) { tracer in
            tracer.startSpan("below", context: SpanTracer.silence).end()
        }
        #expect(figures == SpanFigures())
    }

    @Test func spansAfterTheEndAreCounted() throws {
        let figures = try withTracer(share: 1) { tracer in
            tracer.startSpan("a", context: .topLevel).end()
        }
        #expect(figures.failed == 1)
    }
}
