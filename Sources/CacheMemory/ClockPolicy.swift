/// One queue with second chances: who was hit since it last came round goes round again.
final class ClockPolicy: EvictionPolicy {
    private var queue = EntryQueue()

    var entryCount: Int { queue.count }

    func admit(_ entry: Entry) { queue.append(entry) }

    func replace(_ old: Entry, with new: Entry) { queue.replace(old, with: new) }

    func remove(_ entry: Entry) { queue.remove(entry) }

    func takeVictim() -> Entry? {
        while let entry = queue.takeFirst() {
            if entry.head.pointee.frequency == 0 { return entry }
            entry.head.pointee.frequency -= 1
            queue.append(entry)
        }
        return nil
    }

    func holds(_ entry: Entry) -> Bool { queue.holds(entry) }
}
