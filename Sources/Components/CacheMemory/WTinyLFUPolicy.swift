/// A window for new keys, and a main part that admits only entries requested more often than their
/// victims [1].
///
///     new ──▶ window (a tenth, LRU) ──▶ requested more often than main's oldest?
///                                          │ yes: it replaces that one        │ no: it is evicted
///                                          ▼
///                                main: probation ──hit──▶ protected (four fifths of main)
///
/// [1] Einziger, Friedman and Manes, TinyLFU: a highly efficient cache admission policy, 2017.
final class WTinyLFUPolicy: EvictionPolicy {
    private static let probationQueue: UInt32 = 1
    private static let protectedQueue: UInt32 = 2

    private let weights: EntryWeights
    private var window: EntryList
    private var probation: EntryList
    private var protected: EntryList
    private var sketch = FrequencySketch(entriesMax: 64)
    private var budget: Int

    init(_ weights: EntryWeights, budget: Int) {
        self.weights = weights
        self.budget = budget
        window = EntryList(weights)
        probation = EntryList(weights)
        protected = EntryList(weights)
    }

    private var windowWeightMax: Int { max(1, budget / 10) }
    private var mainWeightMax: Int { budget - windowWeightMax }

    var entryCount: Int { window.count + probation.count + protected.count }
    var memoryBytes: Int { sketch.memoryBytes }
    var wantsLookups: Bool { true }

    func budgetChanged(to weight: Int) { budget = weight }

    func missed(_ hash: KeyHash, in namespace: NamespaceNumber) { count(hash) }

    func hit(_ entry: Entry, _ hash: KeyHash) {
        count(hash)
        switch entry.queue {
        case Self.probationQueue:
            probation.remove(entry)
            entry.queue = Self.protectedQueue
            protected.append(entry)
            while protected.weight > mainWeightMax / 5 * 4, let oldest = protected.takeFirst() {
                oldest.queue = Self.probationQueue
                probation.append(oldest)
            }
        case Self.protectedQueue: protected.moveToEnd(entry)
        default: window.moveToEnd(entry)
        }
    }

    func admit(_ entry: Entry, _ hash: KeyHash) {
        entry.queue = 0
        window.append(entry)
    }

    func replace(_ old: Entry, with new: Entry) {
        switch old.queue {
        case Self.probationQueue: probation.replace(old, with: new)
        case Self.protectedQueue: protected.replace(old, with: new)
        default: window.replace(old, with: new)
        }
    }

    func moved(from old: Entry, to new: Entry) {
        switch new.queue {
        case Self.probationQueue: probation.moved(to: new)
        case Self.protectedQueue: protected.moved(to: new)
        default: window.moved(to: new)
        }
    }

    func remove(_ entry: Entry) {
        switch entry.queue {
        case Self.probationQueue: probation.remove(entry)
        case Self.protectedQueue: protected.remove(entry)
        default: window.remove(entry)
        }
    }

    func takeVictim() -> Entry? {
        while window.weight > windowWeightMax, let candidate = window.takeFirst() {
            let isRoom =
                probation.weight + protected.weight + weights.weight(of: candidate)
                <= mainWeightMax
            guard !isRoom, let resident = probation.firstEntry ?? protected.firstEntry else {
                enterMain(candidate)
                continue
            }
            let asked = sketch.estimate(weights.hash(of: candidate))
            guard asked > sketch.estimate(weights.hash(of: resident)) else { return candidate }
            remove(resident)
            enterMain(candidate)
            return resident
        }
        return probation.takeFirst() ?? protected.takeFirst() ?? window.takeFirst()
    }

    func holds(_ entry: Entry) -> Bool {
        switch entry.queue {
        case Self.probationQueue: probation.holds(entry)
        case Self.protectedQueue: protected.holds(entry)
        default: window.holds(entry)
        }
    }

    private func enterMain(_ entry: Entry) {
        entry.queue = Self.probationQueue
        probation.append(entry)
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
