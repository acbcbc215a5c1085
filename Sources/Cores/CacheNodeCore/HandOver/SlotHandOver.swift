import CacheMemory
import CacheModel

/// The hand-over of entries, at a shard that lost or got slots by a record: docs/decisions/0120.
struct SlotHandOver {
    var departures: SlotDepartures
    var arrivals: SlotArrivals
    /// Whether entries of slots that were lost may be left: they are hidden once the slots are
    /// known again.
    private(set) var hasLeftovers = false

    init(_ guards: Guards) {
        departures = SlotDepartures(guards)
        arrivals = SlotArrivals(guards)
    }

    /// A record moved slots: what is left of lost ones stays for the next owner.
    ///
    /// - Parameters:
    ///   - arriving: the moves to take entries of.
    ///   - consequence: without what is left.
    mutating func note(
        _ moves: SlotMoves, _ arriving: [SlotMove], _ consequence: ShardOwnership.Consequence,
        now: Instant
    ) -> ShardOwnership.Consequence {
        departures.note(moves, now: now)
        arrivals.note(moves, arriving, now: now)
        let left = departures.slots
        guard !left.isEmpty else { return consequence }
        guard case .moves(let keeps) = consequence else {
            return .moves { left.contains($0.slot) }
        }
        return .moves { left.contains($0.slot) || keeps($0) }
    }

    /// The state of a key, as its readers see it: what is left of a lost slot is not there.
    func shown(_ account: EntryAccount, _ key: UnsafeRawBufferPointer) -> EntryAccount {
        guard !departures.isEmpty, departures.slots.contains(HashSlot(of: key)) else {
            return account
        }
        var shown = account
        (shown.entry, shown.standing) = (nil, nil)
        return shown
    }

    /// The shard's slots are unknown.
    mutating func forget() {
        hasLeftovers = hasLeftovers || !departures.isEmpty
        departures.endAll()
        arrivals.endAll()
    }

    /// They are those of another table, and nothing is left of lost ones.
    mutating func endAll() {
        forget()
        hasLeftovers = false
    }
}
