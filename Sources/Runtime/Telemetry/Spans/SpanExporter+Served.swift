package import CacheModel
package import CacheMetrics
import Tracing

extension SpanExporter {
    /// Records work for another process that has just ended: a span of its own in the trace of the
    /// request.
    ///
    /// - Parameter describe: adds the details of the span.
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
