package import CacheModel
package import SpanCore
import Tracing

extension SpanExporter {
    /// Records work that has just ended, for somebody of another process: a span of its own in the
    /// trace that it was asked with.
    ///
    /// - Parameter describe: adds what is to be said of it.
    package func recordServed(
        _ name: String, for trace: TraceContext, took: Duration,
        _ describe: (inout SpanRecord) -> Void
    ) {
        let now = DefaultTracerClock.now.nanosecondsSinceEpoch
        let own = trace.passed { UInt64.random(in: .min ... .max) }
        var span = SpanRecord(
            name, .server, own, under: trace.span, at: now - min(now, took.wholeNanoseconds))
        span.isParentRemote = true
        describe(&span)
        span.end(at: now)
        record(span)
    }
}
