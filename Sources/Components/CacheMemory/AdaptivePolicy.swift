/// Two banks of queues that rank entries by value per byte, and learn from keys that return.
///
///     new ──▶ small bank ──hit──▶ main bank ──hit──▶ main bank again, of another rank
///              │ no hit            │ no hit
///              ▼                   ▼
///              evicted; the ghosts remember the key and its bank
///
///     a bank:  class 0  │ ▸ ▸ ▸ ▸      small or often requested: worth most
///              class 1  │ ▸ ▸ ▸        entries of a class are worth the same, so a queue is in
///              …                       order of priority, and the lowest priority of a bank is one
///              class 69 │ ▸ ▸          of at most seventy heads
///
/// An entry's priority is the *level* of its bank when it was appended plus the value of its class;
/// the level rises to the priority of each entry considered, so that unrequested entries age:
/// greedy dual [1] without a heap. A miss on a ghost of the small bank means that the small bank is
/// too small and raises its target; one of the main bank lowers it, as in ARC [2]. A hit only
/// increments two bits in the entry's head.
///
/// Design and measurements: docs/decisions/0015.
///
/// [1] Cao and Irani, Cost-aware WWW proxy caching algorithms, USITS 1997.
/// [2] Megiddo and Modha, ARC: a self-tuning, low overhead replacement cache, FAST 2003.
final class AdaptivePolicy: EvictionPolicy {
    private static let small = 0
    private static let main = 1
    /// Entries given another round before one is evicted all the same.
    private static let roundsMax = 64
    /// Ranks of returning keys: from the small bank, and from main.
    private static let returnRanks: [UInt32] = [2, 4]

    private let weights: EntryWeights
    private var banks: [Bank]
    private var ghosts = GhostWords()
    private var budget: Int
    /// Maximum weight of the small bank.
    private(set) var target: Int
    /// The bank that the next new key was evicted from; `nil` if it is not remembered.
    private var origin: GhostWords.Origin?

    init(_ weights: EntryWeights, budget: Int) {
        self.weights = weights
        self.budget = budget
        target = budget / 5
        banks = [Bank(weights), Bank(weights)]
    }

    var entryCount: Int { banks[0].count + banks[1].count }
    var memoryBytes: Int { ghosts.memoryBytes }

    private var targetMin: Int { budget / 100 }
    private var targetMax: Int { max(1, Int(Double(budget) * 0.7)) }

    func budgetChanged(to weight: Int) {
        budget = weight
        target = min(max(target, targetMin), targetMax)
    }

    func prepare(_ hash: KeyHash, weight: Int, in namespace: NamespaceNumber) {
        origin = ghosts.take(hash)
        guard let origin else { return }
        let smallCount = max(1, ghosts.counts[0])
        let mainCount = max(1, ghosts.counts[1])
        let most = max(smallCount, mainCount)
        switch origin {
        case .small:
            let step = Self.step(weight, most, smallCount)
            target = min(target + step, targetMax)
        case .main:
            let step = Self.step(weight, most, mainCount)
            target = target > step + targetMin ? target - step : targetMin
        }
    }

    /// The rarer such ghosts are, the larger the step.
    private static func step(_ weight: Int, _ most: Int, _ count: Int) -> Int {
        let (product, overflow) = (2 * max(weight, 1)).multipliedReportingOverflow(by: most)
        return overflow ? .max / 4 : min(product / count, .max / 4)
    }

    func admit(_ entry: Entry, _ hash: KeyHash) {
        defer { origin = nil }
        guard let origin else { return banks[Self.small].append(entry, rank: 0, Self.small) }
        banks[Self.main].append(entry, rank: Self.returnRanks[origin.rawValue], Self.main)
    }

    func replace(_ old: Entry, with new: Entry) {
        banks[Int(old.queue)].replace(old, with: new)
    }

    func moved(from old: Entry, to new: Entry) { banks[Int(new.queue)].moved(to: new) }

    func remove(_ entry: Entry) { banks[Int(entry.queue)].remove(entry) }

    func takeVictim() -> Entry? {
        var roundCount = 0
        while entryCount > 0 {
            let isSmallDue =
                banks[Self.small].count > 0
                && (banks[Self.small].weight > target || banks[Self.main].count == 0)
            let number = isSmallDue ? Self.small : Self.main
            guard let entry = banks[number].takeLowest() else { return nil }
            roundCount += 1
            let hits = entry.frequency
            guard hits == 0 || roundCount > Self.roundsMax else {
                let rank =
                    number == Self.small ? 0 : EntryValue.rank(after: entry.rank, hits: hits)
                entry.frequency = 0
                banks[Self.main].append(entry, rank: rank, Self.main)
                continue
            }
            ghosts.grow(entryCount: entryCount)
            ghosts.remember(
                weights.hash(of: entry), from: number == Self.small ? .small : .main)
            return entry
        }
        return nil
    }

    func holds(_ entry: Entry) -> Bool { banks[Int(entry.queue)].holds(entry) }
}
