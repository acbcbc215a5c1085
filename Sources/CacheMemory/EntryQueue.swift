/// A first-in, first-out queue of entries from whose middle any may be removed: a ring of
/// addresses in which removal leaves a hole.
///
/// Each entry's head keeps its slot. When the ring is full it is packed, or doubled if more than
/// half of it is in use; so every operation is amortised O(1).
struct EntryQueue {
    /// Addresses; zero is a hole. Always a power of two.
    private var slots = [UInt64](repeating: 0, count: 64)
    /// Counts of what ever came in and out, holes included; modulo the ring they are slots.
    private var tail = 0
    private var front = 0
    private(set) var count = 0
    /// What the queued entries are charged together.
    private(set) var costBytes = 0

    mutating func append(_ entry: Entry) {
        if tail - front == slots.count { pack() }
        let slot = tail & (slots.count - 1)
        slots[slot] = entry.word
        entry.head.pointee.queueSlot = UInt32(slot)
        tail += 1
        count += 1
        costBytes += entry.costBytes
    }

    mutating func takeFirst() -> Entry? {
        while front < tail {
            let slot = front & (slots.count - 1)
            front += 1
            guard let entry = Entry(word: slots[slot]) else { continue }
            slots[slot] = 0
            count -= 1
            costBytes -= entry.costBytes
            return entry
        }
        return nil
    }

    mutating func remove(_ entry: Entry) {
        precondition(holds(entry), "only a queued entry can be removed from its queue")
        slots[Int(entry.head.pointee.queueSlot)] = 0
        count -= 1
        costBytes -= entry.costBytes
    }

    mutating func replace(_ old: Entry, with new: Entry) {
        precondition(holds(old), "only a queued entry can be replaced in its queue")
        new.head.pointee.queueSlot = old.head.pointee.queueSlot
        slots[Int(old.head.pointee.queueSlot)] = new.word
        costBytes += new.costBytes - old.costBytes
    }

    func holds(_ entry: Entry) -> Bool {
        let slot = Int(entry.head.pointee.queueSlot)
        return slot < slots.count && slots[slot] == entry.word
    }

    private mutating func pack() {
        let capacity = count * 2 > slots.count ? slots.count * 2 : slots.count
        var packed = [UInt64](repeating: 0, count: capacity)
        var next = 0
        for position in front..<tail {
            guard let entry = Entry(word: slots[position & (slots.count - 1)]) else { continue }
            packed[next] = entry.word
            entry.head.pointee.queueSlot = UInt32(next)
            next += 1
        }
        slots = packed
        front = 0
        tail = next
    }
}
