/// A time of the simulated world, by a perfect clock. No process ever reads it.
struct WorldTime: Hashable, Comparable {
    var nanoseconds: UInt64

    static let beginning = WorldTime(nanoseconds: 0)

    static func + (time: Self, span: Span) -> Self {
        WorldTime(nanoseconds: time.nanoseconds + span.nanoseconds)
    }

    /// Zero if the other time is earlier.
    func span(to later: WorldTime) -> Span {
        Span(nanoseconds: max(later.nanoseconds, nanoseconds) - nanoseconds)
    }

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}

/// A duration of the world's time.
struct Span: Hashable, Comparable {
    var nanoseconds: UInt64

    static let zero = Span(nanoseconds: 0)

    var duration: Duration { .nanoseconds(Int64(clamping: nanoseconds)) }

    static func + (one: Self, other: Self) -> Self {
        Span(nanoseconds: one.nanoseconds + other.nanoseconds)
    }

    static func microseconds(_ count: Int) -> Span { Span(nanoseconds: UInt64(count) * 1_000) }
    static func milliseconds(_ count: Int) -> Span { .microseconds(count * 1_000) }

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }
}
