/// Greedy dual, size and frequency [1]: evicts the lowest `age + frequency ÷ weight` first, and the
/// age rises to the last victim's value. An exact heap, with twelve bytes per entry: the reference
/// for the quality of size-aware eviction.
///
/// [1] Cherkasova, Improving WWW proxies performance with greedy-dual-size-frequency caching
/// policy, HP Labs 1998.
final class GDSFPolicy: EvictionPolicy {
    private struct Member {
        var priority: Double
        /// Breaks ties: the older first.
        var ticket: UInt64
        var reference: EntryReference

        static func < (lhs: Member, rhs: Member) -> Bool {
            (lhs.priority, lhs.ticket) < (rhs.priority, rhs.ticket)
        }
    }

    private let weights: EntryWeights
    /// A binary heap, the lowest first. An entry keeps its heap index in `previous`, and its
    /// frequency – which is not bounded here – in `next`.
    private var heap: [Member] = []
    private var age = 0.0
    private var ticket: UInt64 = 0

    init(_ weights: EntryWeights) {
        self.weights = weights
    }

    var entryCount: Int { heap.count }
    var memoryBytes: Int { heap.count * MemoryLayout<Member>.stride }
    var wantsLookups: Bool { true }

    func admit(_ entry: Entry, _ hash: KeyHash) {
        entry.next = EntryReference(rawValue: 1)
        heap.append(member(entry))
        rise(heap.count - 1)
    }

    func replace(_ old: Entry, with new: Entry) {
        new.previous = old.previous
        new.next = old.next
        reconsider(new)
    }

    func moved(from old: Entry, to new: Entry) {
        heap[place(of: new)].reference = weights.space.reference(new)
    }

    func remove(_ entry: Entry) {
        let place = place(of: entry)
        let last = heap.removeLast()
        guard place < heap.count else { return }
        heap[place] = last
        settle(place)
    }

    func takeVictim() -> Entry? {
        guard let lowest = heap.first else { return nil }
        let entry = weights.space.entry(lowest.reference)
        age = lowest.priority
        remove(entry)
        return entry
    }

    func hit(_ entry: Entry, _ hash: KeyHash) {
        let frequency = entry.next.rawValue
        entry.next = EntryReference(rawValue: frequency == .max ? .max : frequency + 1)
        reconsider(entry)
    }

    func holds(_ entry: Entry) -> Bool {
        let place = place(of: entry)
        return place < heap.count && heap[place].reference == weights.space.reference(entry)
    }

    private func place(of entry: Entry) -> Int { Int(entry.previous.rawValue) }

    private func member(_ entry: Entry) -> Member {
        ticket += 1
        let frequency = Double(entry.next.rawValue)
        return Member(
            priority: age + frequency / Double(max(weights.weight(of: entry), 1)),
            ticket: ticket, reference: weights.space.reference(entry))
    }

    private func reconsider(_ entry: Entry) {
        let place = place(of: entry)
        heap[place] = member(entry)
        settle(place)
    }

    // MARK: The heap

    private func settle(_ place: Int) {
        if place > 0, heap[place] < heap[(place - 1) / 2] {
            rise(place)
        } else {
            sink(place)
        }
    }

    private func rise(_ start: Int) {
        var place = start
        let member = heap[place]
        while place > 0, member < heap[(place - 1) / 2] {
            put(heap[(place - 1) / 2], at: place)
            place = (place - 1) / 2
        }
        put(member, at: place)
    }

    private func sink(_ start: Int) {
        var place = start
        let member = heap[place]
        while 2 * place + 1 < heap.count {
            var child = 2 * place + 1
            if child + 1 < heap.count, heap[child + 1] < heap[child] { child += 1 }
            guard heap[child] < member else { break }
            put(heap[child], at: place)
            place = child
        }
        put(member, at: place)
    }

    private func put(_ member: Member, at place: Int) {
        heap[place] = member
        weights.space.entry(member.reference).previous = EntryReference(rawValue: UInt32(place))
    }
}
