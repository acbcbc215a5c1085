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
final class S3FIFOPolicy: EvictionPolicy {
    private static let mainQueue: UInt32 = 1
    private static let hitsToStay: UInt64 = 2
    private static let frequencyMax: UInt64 = 3

    private var small: EntryList
    private var main: EntryList
    private var ghosts = GhostTable()
    private var smallWeightMax: Int
    private var mainWeightMax: Int
    private var hasEvicted = false

    init(_ weights: EntryWeights, budget: Int) {
        small = EntryList(weights)
        main = EntryList(weights)
        smallWeightMax = max(1, budget / 10)
        mainWeightMax = budget - budget / 10
    }

    var entryCount: Int { small.count + main.count }
    var memoryBytes: Int { ghosts.memoryBytes }

    func budgetChanged(to weight: Int) {
        smallWeightMax = max(1, weight / 10)
        mainWeightMax = weight - weight / 10
    }

    func admit(_ entry: Entry, _ hash: KeyHash) {
        let isColdAndFull = !hasEvicted && small.weight >= smallWeightMax
        if ghosts.take(hash, window: main.count) || isColdAndFull {
            promote(entry)
        } else {
            small.append(entry)
        }
    }

    func replace(_ old: Entry, with new: Entry) {
        if old.queue == Self.mainQueue {
            main.replace(old, with: new)
        } else {
            small.replace(old, with: new)
        }
    }

    func moved(from old: Entry, to new: Entry) {
        if new.queue == Self.mainQueue { main.moved(to: new) } else { small.moved(to: new) }
    }

    func remove(_ entry: Entry) {
        if entry.queue == Self.mainQueue { main.remove(entry) } else { small.remove(entry) }
    }

    func takeVictim() -> Entry? {
        while entryCount > 0 {
            let isMainDue = main.weight > mainWeightMax || small.count == 0
            if let victim = isMainDue ? considerMain() : considerSmall() { return victim }
        }
        return nil
    }

    func holds(_ entry: Entry) -> Bool {
        entry.queue == Self.mainQueue ? main.holds(entry) : small.holds(entry)
    }

    private func considerSmall() -> Entry? {
        guard let entry = small.takeFirst() else { return nil }
        if entry.frequency >= Self.hitsToStay {
            entry.frequency = 0
            promote(entry)
            return nil
        }
        hasEvicted = true
        ghosts.remember(small.weights.hash(of: entry), window: main.count)
        return entry
    }

    private func considerMain() -> Entry? {
        guard let entry = main.takeFirst() else { return nil }
        if entry.frequency > 0 {
            entry.frequency = min(entry.frequency, Self.frequencyMax) - 1
            main.append(entry)
            return nil
        }
        return entry
    }

    private func promote(_ entry: Entry) {
        entry.queue = Self.mainQueue
        main.append(entry)
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
