import CacheModel

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

/// The clock of one machine: it has its own start and runs a little fast or slow, always within the
/// bound that leases allow for.
struct Clock {
    /// With this drift each, two clocks stay within the one percent between a lease and its grant.
    static let driftMax = 4_000

    private let offset: UInt64
    private let driftPartsPerMillion: Int64

    init(_ dice: inout Dice) {
        offset = 1_000_000_000 * UInt64(dice.number(in: 100...100_000))
        driftPartsPerMillion = Int64(dice.number(in: -Self.driftMax...Self.driftMax))
    }

    func reading(at time: WorldTime) -> Instant {
        let elapsed = Int64(time.nanoseconds)
        let drift = elapsed / 1_000_000 * driftPartsPerMillion
        return Instant(nanoseconds: offset + UInt64(elapsed + drift))
    }

    /// A time at which the clock shows `reading`, or up to a hundredth of a millisecond later; the
    /// beginning of the world for readings from before it.
    func time(of reading: Instant) -> WorldTime {
        guard reading.nanoseconds > offset else { return .beginning }
        let shown = Int64(clamping: reading.nanoseconds - offset)
        let guess = shown - shown / (1_000_000 + driftPartsPerMillion) * driftPartsPerMillion
        return WorldTime(nanoseconds: UInt64(max(0, guess)) + 10_000)
    }
}
