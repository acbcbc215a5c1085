/// A window for new keys, and a main part that admits only entries requested more often than their
/// victims [1].
///
///     new ──▶ window (a tenth, LRU) ──▶ requested more often than main's oldest?
///                                          │ yes: it replaces that one        │ no: it is evicted
///                                          ▼
///                                main: probation ──hit──▶ protected (four fifths of main)
///
/// [1] Einziger, Friedman and Manes, TinyLFU: a highly efficient cache admission policy, 2017.
final class WTinyLFUPolicy: QueuedPolicy {
    private static let window = 0
    private static let probation = 1
    private static let protected = 2

    private let weights: EntryWeights
    var queues: [EntryList]
    private var sketch = FrequencySketch(entriesMax: 64)
    private var budget: Int

    init(_ weights: EntryWeights, budget: Int) {
        self.weights = weights
        self.budget = budget
        queues = (0..<3).map { _ in EntryList(weights) }
    }

    private var windowWeightMax: Int { max(1, budget / 10) }
    private var mainWeightMax: Int { budget - windowWeightMax }

    var memoryBytes: Int { sketch.memoryBytes }
    var wantsLookups: Bool { true }

    func budgetChanged(to weight: Int) { budget = weight }

    func missed(_ hash: KeyHash, in namespace: NamespaceNumber) { count(hash) }

    func hit(_ entry: Entry, _ hash: KeyHash) {
        count(hash)
        guard entry.queue == UInt32(Self.probation) else {
            return queues[Int(entry.queue)].moveToEnd(entry)
        }
        remove(entry)
        append(entry, to: Self.protected)
        while queues[Self.protected].weight > mainWeightMax / 5 * 4,
            let oldest = queues[Self.protected].takeFirst()
        {
            append(oldest, to: Self.probation)
        }
    }

    func takeVictim() -> Entry? {
        while queues[Self.window].weight > windowWeightMax,
            let candidate = queues[Self.window].takeFirst()
        {
            let isRoom =
                queues[Self.probation].weight + queues[Self.protected].weight
                + weights.weight(of: candidate)
                <= mainWeightMax
            guard !isRoom,
                let resident = queues[Self.probation].firstEntry
                    ?? queues[Self.protected].firstEntry
            else {
                append(candidate, to: Self.probation)
                continue
            }
            let asked = sketch.estimate(weights.hash(of: candidate))
            guard asked > sketch.estimate(weights.hash(of: resident)) else { return candidate }
            remove(resident)
            append(candidate, to: Self.probation)
            return resident
        }
        return queues[Self.probation].takeFirst() ?? queues[Self.protected].takeFirst()
            ?? queues[Self.window].takeFirst()
    }

    /// The sketch is recreated while the tier fills; its previous counts are worth little then.
    private func count(_ hash: KeyHash) {
        if entryCount > sketch.capacity {
            sketch = FrequencySketch(entriesMax: 2 * entryCount)
        }
        sketch.count(hash)
    }
}

/// Estimates recent requests per key: a count-min sketch [1] of four rows with counters that
/// saturate at fifteen and are halved after ten lookups per expected entry.
///
/// [1] Cormode and Muthukrishnan, An improved data stream summary, 2005; aged after Einziger et
/// al., TinyLFU, 2017.
struct FrequencySketch {
    private static let rowCount = 4
    private static let countMax: UInt8 = 15

    private var counters: [UInt8] = []
    private var mask: UInt64 = 0
    private var additionCount = 0
    private var sampleCount = 0

    /// - Parameter entriesMax: the approximate maximum of entries.
    init(entriesMax: Int) {
        var width = 64
        while width < 2 * entriesMax { width *= 2 }
        counters = Array(repeating: 0, count: Self.rowCount * width)
        mask = UInt64(width - 1)
        sampleCount = max(100, 10 * entriesMax)
    }

    var memoryBytes: Int { counters.count }
    /// Entries it is sized for.
    var capacity: Int { sampleCount / 10 }

    /// The smallest of the key's counters.
    func estimate(_ hash: KeyHash) -> UInt8 {
        (0..<Self.rowCount).reduce(Self.countMax) { min($0, counters[index(hash, row: $1)]) }
    }

    /// Counts one lookup: only the counters equal to the estimate are incremented.
    mutating func count(_ hash: KeyHash) {
        let estimate = estimate(hash)
        if estimate < Self.countMax {
            for row in 0..<Self.rowCount {
                let index = index(hash, row: row)
                if counters[index] == estimate { counters[index] += 1 }
            }
        }
        additionCount += 1
        guard additionCount >= sampleCount else { return }
        additionCount /= 2
        for index in counters.indices { counters[index] /= 2 }
    }

    private func index(_ hash: KeyHash, row: Int) -> Int {
        let mixed = (hash.rawValue ^ UInt64(row) &* 0x9E37_79B9_7F4A_7C15)
            .multipliedFullWidth(by: 0xD1B5_4A32_D192_ED03)
        return row * Int(mask + 1) + Int((mixed.high ^ mixed.low) & mask)
    }
}
