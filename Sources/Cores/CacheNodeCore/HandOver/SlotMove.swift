package import CacheModel

/// Slots that a shard got from another one, by a record of the log.
package struct SlotMove: Hashable, Sendable {
    /// The position of the record.
    package let change: LogPosition
    /// The owner before: its node, and the index of its shard.
    package let node: NodeID
    package let shard: Int
    package let slots: SlotSet

    package init(change: LogPosition, node: NodeID, shard: Int, slots: SlotSet) {
        self.change = change
        self.node = node
        self.shard = shard
        self.slots = slots
    }

    /// An order of the moves of one shard.
    func isBefore(_ other: SlotMove) -> Bool {
        (change, node.name, shard) < (other.change, other.node.name, other.shard)
    }
}

/// Keys of which a shard requests the entries from the owner before, because readers wait.
package struct SlotPull: Hashable, Sendable {
    package let move: SlotMove
    package let request: WarmUp.CopyRequest

    /// The same for one of its keys.
    package func of(_ key: CacheKey) -> SlotPull {
        var one = request
        one.keys = [key]
        return SlotPull(move: move, request: one)
    }
}

/// What one record moves to and from a shard.
struct SlotMoves {
    let change: LogPosition
    /// Slots that this shard had until now.
    private(set) var lost = SlotSet()
    /// Those of them that it answered for: it has all that was stored.
    private(set) var leftovers = SlotSet()
    /// All slots that it has from now on.
    private(set) var gained = SlotSet()
    /// Those of them that another shard answered for, by that shard.
    private(set) var arrivals: [SlotMove] = []

    /// A table, and a shard in it.
    typealias Place = (table: SlotTable, own: SlotOwner?)

    /// - Parameters:
    ///   - before: the place of this shard before the record.
    ///   - after: that after it.
    /// - Complexity: O(slots that move).
    init(_ record: SlotChange, at position: LogPosition, from before: Place, to after: Place) {
        change = position
        let (old, new) = (before.table, after.table)
        var sources: [SlotOwner: SlotSet] = [:]
        for run in record.runs {
            for number in run.slots {
                guard let slot = HashSlot(number), old[slot] != new[slot] else { continue }
                let isServed = old.isServed(slot)
                if old[slot] == before.own, before.own != nil {
                    lost.insert(slot)
                    if isServed { leftovers.insert(slot) }
                }
                guard new[slot] == after.own, after.own != nil else { continue }
                gained.insert(slot)
                if isServed, let source = old[slot] {
                    sources[source, default: SlotSet()].insert(slot)
                }
            }
        }
        arrivals = sources.compactMap { source, slots in
            old.members[source.member].map {
                SlotMove(
                    change: position, node: $0.node, shard: Int(source.shard), slots: slots)
            }
        }
        arrivals.sort { $0.isBefore($1) }
    }
}
