/// Outcomes of spans. Each recorded span is in one of these counts, or still in memory.
package struct SpanFigures: Hashable, Sendable {
    /// Why a collector does not have a span.
    package enum Loss: CaseIterable, Sendable {
        /// The queue was full.
        case dropped
        /// The collector received and refused it.
        case refused
        /// The collector was unreachable, or asked for a retry too often.
        case failed
    }

    /// Spans that the collector accepted.
    package var exported: UInt64 = 0
    package private(set) var dropped: UInt64 = 0
    package private(set) var refused: UInt64 = 0
    package private(set) var failed: UInt64 = 0

    package init() {}

    package var lostCount: UInt64 { dropped &+ refused &+ failed }

    package mutating func lose(_ count: Int, _ loss: Loss) {
        switch loss {
        case .dropped: dropped &+= UInt64(count)
        case .refused: refused &+= UInt64(count)
        case .failed: failed &+= UInt64(count)
        }
    }

    /// Each count with its name in metrics.
    package var outcomes: [(name: String, count: UInt64)] {
        [
            ("exported", exported), ("dropped", dropped), ("refused", refused), ("failed", failed),
        ]
    }
}
