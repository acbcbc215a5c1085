package import CacheMetrics
package import CacheModel
package import Tracing

/// A tracer of swift-distributed-tracing that sends its spans with our exporter. So the client
/// library inside this program records spans as it does in any other program.
///
/// A span is recorded if its trace is. The parent decides that; for the first span of a trace, the
/// ratio decides. A span that is not recorded costs only that check.
package struct SpanTracer: Tracer {
    private let exporter: SpanExporter
    private let ratio: SpanRatio

    package init(_ exporter: SpanExporter, _ ratio: SpanRatio) {
        self.exporter = exporter
        self.ratio = ratio
    }

    /// The context of work that is not recorded.
    package static let silence: ServiceContext = {
        var context = ServiceContext.topLevel
        context.isSilent = true
        return context
    }()

    /// The context for work that is done for the span of `context`.
    package static func surroundings(of context: TraceContext) -> ServiceContext {
        var around = ServiceContext.topLevel
        around.traceContext = context
        return around
    }

    /// Whether to record a trace that begins here.
    package func takes(_ context: TraceContext) -> Bool { ratio.takes(context) }

    /// Sends a manually recorded span.
    package func record(_ span: SpanRecord) { exporter.record(span) }

    /// The outcomes of spans so far.
    package var figures: SpanFigures { exporter.figures }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
        file fileID: String, line: UInt
    ) -> ExportedSpan {
        let around = context()
        guard !around.isSilent else { return ExportedSpan(unrecordedIn: around) }
        let draw = { UInt64.random(in: .min ... .max) }
        let parent = around.traceContext
        var own = parent?.passed(by: draw) ?? .begun(by: draw)
        if parent == nil { own = own.marked(asSampled: takes(own)) }
        guard own.isSampled else { return ExportedSpan(unrecordedIn: Self.silence) }
        var inside = around
        inside.traceContext = own
        let record = SpanRecord(
            operationName, SpanRecord.Kind(kind), own, under: parent?.span,
            at: instant().nanosecondsSinceEpoch)
        return ExportedSpan(record, in: inside, exporter)
    }

    package func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context.traceContext else { return }
        injector.inject(trace.traceparent, forKey: "traceparent", into: &carrier)
        if let state = trace.tracestate {
            injector.inject(state, forKey: "tracestate", into: &carrier)
        }
    }

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let parent = extractor.extract(key: "traceparent", from: carrier),
            let trace = TraceContext(
                traceparent: parent,
                tracestate: extractor.extract(key: "tracestate", from: carrier))
        else { return }
        context.traceContext = trace
    }

    /// Required by the protocol. Does nothing: spans are sent by themselves, and all when their
    /// exporter stops.
    package func forceFlush() {}

    /// Required by the protocol, for callers that do not know the type of the span.
    package func startAnySpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind, at instant: @autoclosure () -> Instant, function: String,
        file fileID: String, line: UInt
    ) -> any Tracing.Span {
        startSpan(
            operationName, context: context(), ofKind: kind, at: instant(), function: function,
            file: fileID, line: line)
    }
}

extension SpanRecord.Kind {
    fileprivate init(_ kind: SpanKind) {
        self =
            switch kind {
            case .server: .server
            case .client: .client
            case .producer: .producer
            case .consumer: .consumer
            case .internal: .internal
            }
    }
}

/// The trace context of a piece of work within this process.
private enum TraceKey: ServiceContextKey {
    typealias Value = TraceContext
}

/// Whether nothing of a piece of work is recorded.
private enum SilenceKey: ServiceContextKey {
    typealias Value = Bool
}

extension ServiceContext {
    /// The trace and span that the next request is made for; `nil` before a trace has begun.
    package var traceContext: TraceContext? {
        get { self[TraceKey.self] }
        set { self[TraceKey.self] = newValue }
    }

    var isSilent: Bool {
        get { self[SilenceKey.self] ?? false }
        set { self[SilenceKey.self] = newValue }
    }
}
