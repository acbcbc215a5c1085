import CacheModel
import Tracing

/// Records what a client does, as spans of whoever's tracer it was given.
///
/// Names and attributes are those of OpenTelemetry's conventions for databases [1]; what a cache
/// has beside them begins with `martlet.`. Nothing says a key, a tag or a value.
///
/// [1] OpenTelemetry, Semantic conventions for database client spans
final class ClientTracer: Sendable {
    private let tracer: any Tracer

    init(_ tracer: any Tracer) { self.tracer = tracer }

    /// Begins the span of an operation, for whatever the calling task does.
    ///
    /// - Parameters:
    ///   - count: how many keys or scopes it is about, where it may be about several.
    ///   - trace: what the caller has said by hand; the span's own wins over it.
    /// - Returns: `nil` if nobody records it: the operation then goes as if there were no tracer.
    func begin(
        _ operation: ClientOperation, in namespace: Namespace? = nil, count: Int? = nil,
        for trace: TraceContext? = nil
    ) -> OperationSpan? {
        let name = namespace.map { "\(operation.rawValue) \($0.name)" } ?? operation.rawValue
        let span = tracer.startSpan(name, ofKind: .client)
        guard span.isRecording else {
            span.end()
            return nil
        }
        span.updateAttributes { attributes in
            attributes["db.system.name"] = "martlet"
            attributes["db.operation.name"] = operation.rawValue
            if let namespace { attributes["db.namespace"] = namespace.name }
            // One of something is no batch, as the conventions have it.
            if let count, count > 1 { attributes["db.operation.batch.size"] = count }
        }
        var carrier: [String: String] = [:]
        tracer.inject(span.context, into: &carrier, using: FieldInjector())
        let own = carrier["traceparent"].flatMap {
            TraceContext(traceparent: $0, tracestate: carrier["tracestate"])
        }
        return OperationSpan(span, own ?? trace)
    }
}

/// Puts what a tracer says into fields by name.
private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
        carrier[key.lowercased()] = value
    }
}
