import CacheModel

/// Slots that a shard lost, while it still gives their entries to the next owner.
///
/// Their entries stay as they were when the record was applied: the shard answers for none of them.
/// Later invalidations apply to them like to any other.
struct SlotDepartures {
    private struct Departure {
        let change: LogPosition
        var slots: SlotSet
        let until: Instant
    }

    private let guards: Guards
    /// By position of the record, ascending.
    private var departures: [Departure] = []
    private var toldAt: Instant?

    init(_ guards: Guards) { self.guards = guards }

    var isEmpty: Bool { departures.isEmpty }

    /// The slots of all of them.
    var slots: SlotSet { departures.reduce(into: SlotSet()) { $0.formUnion($1.slots) } }

    /// Whether entries of a slot are given to the shard that got it by this record.
    func gives(_ slot: HashSlot, for change: LogPosition) -> Bool {
        departures.contains { $0.change == change && $0.slots.contains(slot) }
    }

    /// Whether an asker may have the entry of a key: a replica, or the shard that got the slot.
    ///
    /// - Parameter change: the record by which it got it; `nil`: it is a replica.
    func mayGive(_ key: UnsafeRawBufferPointer, for change: LogPosition?) -> Bool {
        guard let change else { return true }
        return (1...CacheKey.bytesMax).contains(key.count) && gives(HashSlot(of: key), for: change)
    }

    /// The slots that were lost by this record, and not regained.
    func slots(of change: LogPosition) -> SlotSet {
        departures.first { $0.change == change }?.slots ?? SlotSet()
    }

    /// A record moved slots. What is left of a slot that the shard got back is not to be seen
    /// again.
    mutating func note(_ moves: SlotMoves, now: Instant) {
        for index in departures.indices where guards.isOn(.moveRegained) {
            departures[index].slots.subtract(moves.gained)
        }
        departures.removeAll { $0.slots.isEmpty }
        guard !moves.leftovers.isEmpty else { return }
        if departures.count == HandOverLimits.changesMax { departures.removeFirst() }
        departures.append(
            Departure(
                change: moves.change, slots: moves.leftovers,
                until: now.advanced(by: HandOverLimits.lifetime)))
    }

    /// Ends those that are a minute old.
    ///
    /// - Returns: whether there were any.
    mutating func end(now: Instant) -> Bool {
        guard let first = departures.first, first.until <= now else { return false }
        departures.removeAll { $0.until <= now }
        return true
    }

    mutating func endAll() { departures = [] }

    /// The next owner was given entries. That it asks for keys that are not here does not count:
    /// readers may want such keys all the time.
    ///
    /// - Returns: whether that is to be reported: not more often than it matters.
    mutating func noteGiven(now: Instant) -> Bool {
        if let toldAt, now < toldAt.advanced(by: HandOverLimits.reportInterval) { return false }
        toldAt = now
        return true
    }
}
