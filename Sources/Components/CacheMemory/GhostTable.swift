/// Remembered keys without values: thirty-two bits of hash and the ticket of each eviction.
///
/// A set-associative table of four ways, oldest overwritten. A false match promotes an undeserving
/// entry, a forgotten ghost costs one more pass through the small queue; neither justifies
/// exactness.
struct GhostTable {
    private static let ways = 4

    /// Fingerprint over ticket; zero is empty. Always a power of two.
    private var slots = [UInt64](repeating: 0, count: 64)
    private var ticket: UInt32 = 0

    var memoryBytes: Int { slots.count * 8 }

    /// Remembers the key as the newest of about `window` ghosts.
    mutating func remember(_ hash: KeyHash, window: Int) {
        if slots.count < window { enlarge(for: window) }
        ticket &+= 1
        let set = set(of: hash)
        var oldest = set.lowerBound
        for index in set where age(slots[index]) > age(slots[oldest]) { oldest = index }
        slots[oldest] = UInt64(fingerprint(hash)) << 32 | UInt64(ticket)
    }

    /// Whether the key was evicted within the last `window` evictions; its ghost is removed.
    mutating func take(_ hash: KeyHash, window: Int) -> Bool {
        for index in set(of: hash)
        where slots[index] != 0 && slots[index] >> 32 == UInt64(fingerprint(hash)) {
            let isRecent = age(slots[index]) < window
            slots[index] = 0
            return isRecent
        }
        return false
    }

    private func age(_ slot: UInt64) -> Int {
        slot == 0 ? .max : Int(ticket &- UInt32(truncatingIfNeeded: slot))
    }

    private func fingerprint(_ hash: KeyHash) -> UInt32 {
        UInt32(truncatingIfNeeded: hash.rawValue)
    }

    private func set(of hash: KeyHash) -> Range<Int> {
        let sets = slots.count / Self.ways
        let first = Int(truncatingIfNeeded: hash.rawValue >> 32) & (sets - 1)
        return first * Self.ways..<(first + 1) * Self.ways
    }

    /// Grows and forgets: this happens while the tier fills, when no ghost is worth keeping.
    private mutating func enlarge(for window: Int) {
        var capacity = slots.count
        while capacity < window { capacity *= 2 }
        slots = [UInt64](repeating: 0, count: capacity)
    }
}
