package import CacheModel
package import Tracing

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
