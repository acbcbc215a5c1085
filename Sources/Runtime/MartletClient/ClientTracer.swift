import CacheModel
import Tracing

/// Records the operations of a client as spans of a given tracer.
///
/// Names and attributes follow OpenTelemetry's conventions for databases [1]; attributes that only
/// a cache has begin with `martlet.`. No attribute contains a key, a tag or a value.
///
/// [1] OpenTelemetry, Semantic conventions for database client spans
final class ClientTracer: Sendable {
    private let tracer: any Tracer

    init(_ tracer: any Tracer) { self.tracer = tracer }

    /// Begins the span of an operation of the calling task.
    ///
    /// - Parameters:
    ///   - count: the number of keys or scopes, for operations on several.
    ///   - trace: the trace context from the caller's options; the span's own wins over it.
    /// - Returns: `nil` if the tracer does not record the span: the operation then runs as without
    ///   a tracer.
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
            // By the conventions, a single key is no batch.
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

private struct FieldInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout [String: String]) {
        carrier[key.lowercased()] = value
    }
}

enum ClientOperation: String, Sendable {
    case get, set, delete, touch, invalidate, load
}
