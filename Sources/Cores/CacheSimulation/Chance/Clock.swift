import CacheModel

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
