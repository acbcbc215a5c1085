package import CacheModel
package import Tracing

/// Where a piece of work stands in its trace, on the way through this process.
private enum TraceKey: ServiceContextKey {
    typealias Value = TraceContext
}

/// That nothing of a piece of work is recorded.
private enum SilenceKey: ServiceContextKey {
    typealias Value = Bool
}

extension ServiceContext {
    /// Whoever asks next does so for this; `nil`: nobody has begun a trace.
    package var traceContext: TraceContext? {
        get { self[TraceKey.self] }
        set { self[TraceKey.self] = newValue }
    }

    var isSilent: Bool {
        get { self[SilenceKey.self] ?? false }
        set { self[SilenceKey.self] = newValue }
    }
}
