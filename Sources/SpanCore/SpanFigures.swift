/// What became of spans. Each that was recorded is in one of these, or still held.
package struct SpanFigures: Hashable, Sendable {
    /// Why a span is with no collector.
    package enum Loss: CaseIterable, Sendable {
        /// There was no room for it.
        case dropped
        /// The collector had it and did not want it.
        case refused
        /// The collector could not be reached, or said later too often.
        case failed
    }

    /// The collector has taken them.
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

    /// Each with the name that metrics give it.
    package var outcomes: [(name: String, count: UInt64)] {
        [
            ("exported", exported), ("dropped", dropped), ("refused", refused), ("failed", failed),
        ]
    }
}
