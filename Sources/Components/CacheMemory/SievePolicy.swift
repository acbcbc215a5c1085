/// One queue and a hand that moves from the oldest towards the newest [1]: an entry that was hit
/// stays in place and loses the mark, any other is evicted. The hand continues from where it
/// stopped.
///
/// [1] Zhang et al., SIEVE is simpler than LRU, NSDI 2024.
final class SievePolicy: EvictionPolicy {
    private var queue: EntryList
    /// Position of the hand; `nil` for the oldest.
    private var hand: Entry?

    init(_ weights: EntryWeights) {
        queue = EntryList(weights)
    }

    var entryCount: Int { queue.count }

    func admit(_ entry: Entry, _ hash: KeyHash) { queue.append(entry) }

    func replace(_ old: Entry, with new: Entry) {
        queue.replace(old, with: new)
        if hand == old { hand = new }
    }

    func moved(from old: Entry, to new: Entry) {
        queue.moved(to: new)
        if hand == old { hand = new }
    }

    func remove(_ entry: Entry) {
        if hand == entry { hand = queue.after(entry) }
        queue.remove(entry)
    }

    func takeVictim() -> Entry? {
        var next = hand ?? queue.firstEntry
        while let entry = next, entry.frequency > 0 {
            entry.frequency = 0
            next = queue.after(entry) ?? queue.firstEntry
        }
        guard let victim = next else { return nil }
        hand = queue.after(victim)
        queue.remove(victim)
        return victim
    }

    func holds(_ entry: Entry) -> Bool { queue.holds(entry) }
}
