/// Moves entries from the sparsest slabs into holes of others, so that memory no longer needed by
/// one size is available to another.
extension SlabArena {
    /// An entry to be copied from one slot to another.
    struct Move {
        var from: EntryReference
        var to: EntryReference
    }

    /// The next entry to move; its new slot is already allocated. The caller copies it, updates all
    /// references, and frees the old slot.
    ///
    /// - Returns: `nil` if a move would gain nothing.
    mutating func planMove() -> Move? {
        while true {
            if draining == nil { chooseDraining() }
            guard let source = draining,
                let slot = slabs[source].lastUsed(before: Int(slabs[source].carvedCount))
            else { return nil }
            let sizeClass = Int(slabs[source].sizeClass)
            let target = slabWithHole(of: sizeClass) ?? source
            guard slabs[target].holeCount > 0, let taken = slabs[target].takeSlot() else {
                // This class has no hole left; another may.
                stopDraining()
                continue
            }
            if target != source, !slabs[target].hasFreeSlot { leavePartial(target) }
            noteMoved(classes.bytes[sizeClass])
            return Move(
                from: reference(slab: source, slot: slot),
                to: reference(slab: target, slot: taken.slot))
        }
    }

    /// The slab with the smallest used share in the class with the most holes.
    ///
    /// - Complexity: O(slabs with free slots).
    private mutating func chooseDraining() {
        var best: Int?
        var most = 0
        for (sizeClass, members) in partial.enumerated()
        where classes.bytes[sizeClass] < classes.pagedBytesMin {
            let holes = members.reduce(0) { $0 + slabs[Int($1)].holeCount }
            guard holes * classes.bytes[sizeClass] > most else { continue }
            most = holes * classes.bytes[sizeClass]
            best = members.filter { slabs[Int($0)].holeCount > 0 }
                .min { slabs[Int($0)].usedCount < slabs[Int($1)].usedCount }.map(Int.init)
        }
        guard let best else { return }
        leavePartial(best)
        draining = best
    }

    private mutating func stopDraining() {
        guard let slab = draining else { return }
        draining = nil
        if slabs[slab].hasFreeSlot { joinPartial(slab) }
    }
}
