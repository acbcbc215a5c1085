import CacheModel

extension EvictionPolicyName {
    /// Maximum share of a tier for one entry under this policy: the size-aware ones refuse an entry
    /// that would evict too many others, the baselines accept everything.
    package var entryShareMax: Double {
        switch self {
        case .adaptive, .s3fifo: 0.1
        case .wtinylfu, .gdsf, .sieve, .clock, .lru, .fifo: 1
        }
    }

    /// - Parameter budget: maximum weight of all entries.
    func make(_ weights: EntryWeights, budget: Int) -> any EvictionPolicy {
        switch self {
        case .adaptive: AdaptivePolicy(weights, budget: budget)
        case .s3fifo: S3FIFOPolicy(weights, budget: budget)
        case .wtinylfu: WTinyLFUPolicy(weights, budget: budget)
        case .gdsf: GDSFPolicy(weights)
        case .sieve: SievePolicy(weights)
        case .clock: QueuePolicy(weights, secondChances: true)
        case .lru: LRUPolicy(weights)
        case .fifo: QueuePolicy(weights, secondChances: false)
        }
    }
}

/// Evicts the least recently used entry first. Every hit moves an entry: this policy is the
/// baseline for others, not one for many hits per second.
final class LRUPolicy: QueuedPolicy {
    var queues: [EntryList]

    init(_ weights: EntryWeights) {
        queues = [EntryList(weights)]
    }

    var wantsLookups: Bool { true }

    func takeVictim() -> Entry? { queues[0].takeFirst() }

    func hit(_ entry: Entry, _ hash: KeyHash) { queues[0].moveToEnd(entry) }
}

/// One FIFO queue; with second chances, an entry hit since it was last at the front is requeued.
final class QueuePolicy: QueuedPolicy {
    var queues: [EntryList]
    private let secondChances: Bool

    init(_ weights: EntryWeights, secondChances: Bool) {
        queues = [EntryList(weights)]
        self.secondChances = secondChances
    }

    func takeVictim() -> Entry? {
        while let entry = queues[0].takeFirst() {
            guard secondChances, entry.frequency > 0 else { return entry }
            entry.frequency = 0
            queues[0].append(entry)
        }
        return nil
    }
}

/// One queue and a hand that moves from the oldest towards the newest [1]: an entry that was hit
/// stays in place and loses the mark, any other is evicted. The hand continues from where it
/// stopped.
///
/// [1] Zhang et al., SIEVE is simpler than LRU, NSDI 2024.
final class SievePolicy: QueuedPolicy {
    var queues: [EntryList]
    /// Position of the hand; `nil` for the oldest.
    private var hand: Entry?

    init(_ weights: EntryWeights) {
        queues = [EntryList(weights)]
    }

    func replace(_ old: Entry, with new: Entry) {
        queues[0].replace(old, with: new)
        if hand == old { hand = new }
    }

    func moved(from old: Entry, to new: Entry) {
        queues[0].moved(to: new)
        if hand == old { hand = new }
    }

    func remove(_ entry: Entry) {
        if hand == entry { hand = queues[0].after(entry) }
        queues[0].remove(entry)
    }

    func takeVictim() -> Entry? {
        var next = hand ?? queues[0].firstEntry
        while let entry = next, entry.frequency > 0 {
            entry.frequency = 0
            next = queues[0].after(entry) ?? queues[0].firstEntry
        }
        guard let victim = next else { return nil }
        hand = queues[0].after(victim)
        queues[0].remove(victim)
        return victim
    }
}
