/// Evicts the least recently used entry first. Every hit moves an entry: this policy is the
/// baseline for others, not one for many hits per second.
final class LRUPolicy: EvictionPolicy {
    private var queue: EntryList

    init(_ weights: EntryWeights) {
        queue = EntryList(weights)
    }

    var entryCount: Int { queue.count }
    var wantsLookups: Bool { true }

    func admit(_ entry: Entry, _ hash: KeyHash) { queue.append(entry) }

    func replace(_ old: Entry, with new: Entry) { queue.replace(old, with: new) }

    func moved(from old: Entry, to new: Entry) { queue.moved(to: new) }

    func remove(_ entry: Entry) { queue.remove(entry) }

    func takeVictim() -> Entry? { queue.takeFirst() }

    func hit(_ entry: Entry, _ hash: KeyHash) { queue.moveToEnd(entry) }

    func holds(_ entry: Entry) -> Bool { queue.holds(entry) }
}
