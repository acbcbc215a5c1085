package import CacheModel

/// A histogram of durations, in buckets with fixed bounds. A plain value: a loop keeps one, and
/// copies it for a report.
///
/// - Complexity: adding a duration compares it with the bounds from the shortest on, and allocates
///   nothing.
package struct DurationHistogram: Hashable, Sendable {
    /// The bounds, each the longest duration of its bucket.
    package enum Bounds: Hashable, Sendable {
        /// From 10 µs to 1 s: for work of a processor.
        case brief
        /// From 250 µs to 30 s: for network requests.
        case long

        /// In nanoseconds, ascending.
        package var nanoseconds: [UInt64] {
            switch self {
            case .brief: Self.briefBounds
            case .long: Self.longBounds
            }
        }

        private static let briefBounds: [UInt64] = [
            10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000, 2_500_000, 5_000_000,
            10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000, 1_000_000_000,
        ]
        private static let longBounds: [UInt64] = [
            250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
            100_000_000, 250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000,
            10_000_000_000, 30_000_000_000,
        ]
    }

    package let bounds: Bounds
    /// The count of each bucket alone; the last one is for durations beyond every bound.
    package private(set) var counts: [UInt64]
    package private(set) var sumNanoseconds: UInt64 = 0

    package init(_ bounds: Bounds) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.nanoseconds.count + 1)
    }

    package var count: UInt64 { counts.reduce(0, &+) }
    package var sumSeconds: Double { Double(sumNanoseconds) / 1e9 }

    package mutating func note(nanoseconds: UInt64) {
        let bounds = bounds.nanoseconds
        var index = 0
        while index < bounds.count, bounds[index] < nanoseconds { index += 1 }
        counts[index] &+= 1
        sumNanoseconds &+= nanoseconds
    }

    package mutating func note(_ duration: Duration) {
        note(nanoseconds: duration.wholeNanoseconds)
    }

    /// Adds the counts of another histogram with the same bounds.
    package mutating func add(_ other: DurationHistogram) {
        precondition(bounds == other.bounds, "buckets of other bounds cannot be added")
        for index in counts.indices { counts[index] &+= other.counts[index] }
        sumNanoseconds &+= other.sumNanoseconds
    }

    /// Adds the time between two moments; nothing if they are in the wrong order.
    package mutating func note(from start: Instant, to end: Instant) {
        note(nanoseconds: end.nanoseconds - min(start.nanoseconds, end.nanoseconds))
    }
}
