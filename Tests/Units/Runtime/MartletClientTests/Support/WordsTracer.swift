import InMemoryTracing
import Synchronization
import Tracing

/// A tracer that keeps its spans in memory, speaks W3C's words, and may leave spans unrecorded.
struct WordsTracer: Tracer {
    let memory = InMemoryTracer()
    /// Whether spans are recorded.
    var isRecording = true

    static let id = "4bf92f3577b34da6a3ce929d0e0e4736"

    var spans: [FinishedInMemorySpan] { memory.finishedSpans }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
        file fileID: String, line: UInt
    ) -> WordsSpan {
        let inner = memory.startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function,
            file: fileID, line: line)
        return WordsSpan(inner: inner, isRecording: isRecording)
    }

    func startAnySpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
        file fileID: String, line: UInt
    ) -> any Tracing.Span {
        startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function,
            file: fileID, line: line)
    }

    func forceFlush() {}

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let span = memory.activeSpan(identifiedBy: context) else { return }
        injector.inject(
            "00-\(Self.id)-\(Self.words(span.spanID))-01", forKey: "traceparent", into: &carrier)
        injector.inject("vendor=1", forKey: "tracestate", into: &carrier)
    }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {}

    /// The id of a span as 16 digits: it ends with the number that the tracer in memory gave it.
    static func words(_ spanID: String) -> String {
        let number = String(spanID.filter(\.isNumber).suffix(8))
        return String(repeating: "0", count: 15 - number.count) + number + "f"
    }
}

/// A span in memory that may say that nobody records it.
struct WordsSpan: Span {
    let inner: InMemorySpan
    let isRecording: Bool

    var context: ServiceContext { inner.context }
    var operationName: String {
        get { inner.operationName }
        nonmutating set { inner.operationName = newValue }
    }
    var attributes: SpanAttributes {
        get { inner.attributes }
        nonmutating set { inner.attributes = newValue }
    }
    func setStatus(_ status: SpanStatus) { inner.setStatus(status) }
    func addEvent(_ event: SpanEvent) { inner.addEvent(event) }
    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) { inner.recordError(error, attributes: attributes, at: instant()) }
    func addLink(_ link: SpanLink) { inner.addLink(link) }
    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        if isRecording { inner.end(at: instant()) }
    }
}
