/// A doubly linked list of entries through their heads: FIFO, with removal from the middle. Every
/// operation is O(1).
///
/// Each entry is in at most one list. The list keeps sums over its members.
struct EntryList {
    let weights: EntryWeights
    private(set) var first = EntryReference.none
    private(set) var last = EntryReference.none
    private(set) var count = 0
    private(set) var weight = 0

    init(_ weights: EntryWeights) {
        self.weights = weights
    }

    private var space: EntrySpace { weights.space }

    mutating func append(_ entry: Entry) {
        let reference = space.reference(entry)
        entry.previous = last
        entry.next = .none
        if last.isNone {
            first = reference
        } else {
            space.entry(last).next = reference
        }
        last = reference
        count += 1
        weight += weights.weight(of: entry)
    }

    mutating func remove(_ entry: Entry) {
        unlink(entry)
        count -= 1
        weight -= weights.weight(of: entry)
    }

    mutating func takeFirst() -> Entry? {
        guard !first.isNone else { return nil }
        let entry = space.entry(first)
        remove(entry)
        return entry
    }

    mutating func moveToEnd(_ entry: Entry) {
        guard space.reference(entry) != last else { return }
        remove(entry)
        append(entry)
    }

    /// Puts `new` in the place of `old`; their weights may differ.
    mutating func replace(_ old: Entry, with new: Entry) {
        new.previous = old.previous
        new.next = old.next
        relink(new)
        weight += weights.weight(of: new) - weights.weight(of: old)
    }

    /// Updates the links of an entry that was copied to `new`, including its head.
    mutating func moved(to new: Entry) {
        relink(new)
    }

    /// The previous entry, towards the first; `nil` before the first.
    func before(_ entry: Entry) -> Entry? {
        entry.previous.isNone ? nil : space.entry(entry.previous)
    }

    func after(_ entry: Entry) -> Entry? {
        entry.next.isNone ? nil : space.entry(entry.next)
    }

    var firstEntry: Entry? { first.isNone ? nil : space.entry(first) }

    /// Whether its neighbours link to the entry. For checks.
    func holds(_ entry: Entry) -> Bool {
        let reference = space.reference(entry)
        let before = entry.previous.isNone ? first : space.entry(entry.previous).next
        let after = entry.next.isNone ? last : space.entry(entry.next).previous
        return before == reference && after == reference
    }

    private mutating func relink(_ entry: Entry) {
        let reference = space.reference(entry)
        if entry.previous.isNone {
            first = reference
        } else {
            space.entry(entry.previous).next = reference
        }
        if entry.next.isNone {
            last = reference
        } else {
            space.entry(entry.next).previous = reference
        }
    }

    private mutating func unlink(_ entry: Entry) {
        if entry.previous.isNone {
            first = entry.next
        } else {
            space.entry(entry.previous).next = entry.next
        }
        if entry.next.isNone {
            last = entry.previous
        } else {
            space.entry(entry.next).previous = entry.previous
        }
    }
}
