import CacheModel
import CacheMetrics

/// Spans and moments to test with.
enum Sample {
    static func at(_ milliseconds: UInt64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    static func context(low: UInt64 = 2, span: UInt64 = 3, flags: UInt8 = 3) -> TraceContext {
        guard let context = TraceContext(high: 1, low: low, span: span, flags: flags) else {
            preconditionFailure("they are not 0")
        }
        return context
    }

    static func span(_ number: UInt64 = 3) -> SpanRecord {
        SpanRecord("get images", .client, context(span: number), under: 7, at: 1_000)
    }

    static func spans(_ numbers: ClosedRange<UInt64>) -> [SpanRecord] { numbers.map(span) }
}

extension SpanOutbox {
    /// One that has begun to send spans 1 to `count`.
    static func sending(_ count: UInt64 = 1) -> SpanOutbox {
        var outbox = SpanOutbox()
        for span in Sample.spans(1...count) { _ = outbox.recorded(span, at: Sample.at(0)) }
        _ = outbox.woken(at: Sample.at(1_000))
        return outbox
    }

    /// Tells what came of a batch, with a pause that is as short as chance makes it.
    mutating func answered(_ answer: CollectorAnswer, at milliseconds: UInt64) -> Step? {
        answered(answer, at: Sample.at(milliseconds), draw: 0)
    }
}
