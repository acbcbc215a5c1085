/// One FIFO queue; with second chances, an entry hit since it was last at the front is requeued.
final class QueuePolicy: EvictionPolicy {
    private var queue: EntryList
    private let secondChances: Bool

    init(_ weights: EntryWeights, secondChances: Bool) {
        queue = EntryList(weights)
        self.secondChances = secondChances
    }

    var entryCount: Int { queue.count }

    func admit(_ entry: Entry, _ hash: KeyHash) { queue.append(entry) }

    func replace(_ old: Entry, with new: Entry) { queue.replace(old, with: new) }

    func moved(from old: Entry, to new: Entry) { queue.moved(to: new) }

    func remove(_ entry: Entry) { queue.remove(entry) }

    func takeVictim() -> Entry? {
        while let entry = queue.takeFirst() {
            guard secondChances, entry.frequency > 0 else { return entry }
            entry.frequency = 0
            queue.append(entry)
        }
        return nil
    }

    func holds(_ entry: Entry) -> Bool { queue.holds(entry) }
}
