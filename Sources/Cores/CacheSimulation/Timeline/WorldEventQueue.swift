/// Planned events, earliest first; at the same moment, in the order of planning.
struct WorldEventQueue {
    private struct Entry {
        var time: WorldTime
        var number: UInt64
        var event: Event

        func precedes(_ other: Entry) -> Bool {
            (time.nanoseconds, number) < (other.time.nanoseconds, other.number)
        }
    }

    private var heap: [Entry] = []
    private var count: UInt64 = 0

    mutating func add(_ event: Event, at time: WorldTime) {
        count += 1
        heap.append(Entry(time: time, number: count, event: event))
        var child = heap.count - 1
        while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func takeFirst() -> (time: WorldTime, event: Event)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        guard !heap.isEmpty else { return (first.time, first.event) }
        heap[0] = last
        sink()
        return (first.time, first.event)
    }

    private mutating func sink() {
        var parent = 0
        while 2 * parent + 1 < heap.count {
            var child = 2 * parent + 1
            if child + 1 < heap.count, heap[child + 1].precedes(heap[child]) { child += 1 }
            guard heap[child].precedes(heap[parent]) else { return }
            heap.swapAt(child, parent)
            parent = child
        }
    }
}
