/// Three queues after S3-FIFO [1]: most new keys are never requested again, so they pass through a
/// small queue and are evicted quickly; an entry hit twice there moves to the main queue.
///
///     new ──▶ small (a tenth) ──two hits──▶ main ──hit──▶ main again, one hit less
///                 │                           │
///                 ▼ fewer                     ▼ no hit
///              evicted, remembered          evicted
///              as a ghost: if it returns, it goes to main at once
///
/// Before the first eviction, new keys go to main while the small queue is full.
///
/// [1] Yang et al., FIFO queues are all you need for cache eviction, SOSP 2023.
final class S3FIFOPolicy: QueuedPolicy {
    private static let small = 0
    private static let main = 1
    private static let hitsToStay: UInt64 = 2
    private static let frequencyMax: UInt64 = 3

    var queues: [EntryList]
    private let weights: EntryWeights
    private var ghosts = GhostTable()
    private var smallWeightMax: Int
    private var mainWeightMax: Int
    private var hasEvicted = false

    init(_ weights: EntryWeights, budget: Int) {
        self.weights = weights
        queues = [EntryList(weights), EntryList(weights)]
        smallWeightMax = max(1, budget / 10)
        mainWeightMax = budget - budget / 10
    }

    var memoryBytes: Int { ghosts.memoryBytes }

    private var small: EntryList { queues[Self.small] }
    private var main: EntryList { queues[Self.main] }

    func budgetChanged(to weight: Int) {
        smallWeightMax = max(1, weight / 10)
        mainWeightMax = weight - weight / 10
    }

    func admit(_ entry: Entry, _ hash: KeyHash) {
        let isColdAndFull = !hasEvicted && small.weight >= smallWeightMax
        let isMain = ghosts.take(hash, window: main.count) || isColdAndFull
        append(entry, to: isMain ? Self.main : Self.small)
    }

    func takeVictim() -> Entry? {
        while entryCount > 0 {
            let isMainDue = main.weight > mainWeightMax || small.count == 0
            if let victim = isMainDue ? considerMain() : considerSmall() { return victim }
        }
        return nil
    }

    private func considerSmall() -> Entry? {
        guard let entry = queues[Self.small].takeFirst() else { return nil }
        if entry.frequency >= Self.hitsToStay {
            entry.frequency = 0
            append(entry, to: Self.main)
            return nil
        }
        hasEvicted = true
        ghosts.remember(weights.hash(of: entry), window: main.count)
        return entry
    }

    private func considerMain() -> Entry? {
        guard let entry = queues[Self.main].takeFirst() else { return nil }
        if entry.frequency > 0 {
            entry.frequency = min(entry.frequency, Self.frequencyMax) - 1
            append(entry, to: Self.main)
            return nil
        }
        return entry
    }
}

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
