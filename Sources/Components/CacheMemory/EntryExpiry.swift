package import CacheModel

/// The result of one slice of expiry.
package struct ExpiryProgress: Equatable, Sendable {
    package var removedCount = 0
    /// No more expiry is due now.
    package var isDone = false
}

/// When which slab has to be walked to find its expired entries.
struct EntryExpiry {
    /// Of a slab.
    struct Walk {
        var slab: Int
        var nextSlot = 0
        /// The earliest end of the remaining entries.
        var earliest = EntryEnd.neverTick
    }

    private var wheel = SlabWheel()
    /// Slabs that are due.
    private var due: [UInt32] = []
    private(set) var walk: Walk?

    var hasDueWork: Bool { walk != nil || !due.isEmpty }

    /// Schedules a walk of the entry's slab for the time when the entry becomes useless.
    mutating func noteEnd(of entry: Entry, _ arena: inout SlabArena) {
        let end = entry.gone.tick
        guard end != EntryEnd.neverTick else { return }
        let slab = arena.slab(of: arena.space.reference(entry))
        guard end < arena.slabs[slab].earliestEnd else { return }
        arena.slabs[slab].earliestEnd = end
        note(slab, &arena)
    }

    private mutating func note(_ slab: Int, _ arena: inout SlabArena) {
        let tick = max(arena.slabs[slab].earliestEnd, arena.slabs[slab].restsUntil)
        arena.slabs[slab].notedAt = wheel.note(slab, at: tick)
    }

    mutating func collectDue(_ now: Instant, _ arena: inout SlabArena) {
        let tick = now.nanoseconds >> EntryEnd.tickShift
        var noted: [(Int, UInt64)] = []
        wheel.turn(to: tick) { noted.append(($0, $1)) }
        for (slab, spoke) in noted
        where slab < arena.slabs.count
            && SlabWheel.isValid(note: arena.slabs[slab].notedAt, at: spoke)
        {
            arena.slabs[slab].notedAt = SlabWheel.nowhere
            if max(arena.slabs[slab].earliestEnd, arena.slabs[slab].restsUntil) > tick {
                note(slab, &arena)
            } else {
                due.append(UInt32(slab))
            }
        }
    }

    /// Looks at the next entries of a slab.
    ///
    /// - Parameters:
    ///   - left: how many; an expired entry counts as three.
    ///   - doomed: receives expired entries, which are to be removed before the next call.
    /// - Returns: `false` if no slab is due.
    mutating func walkOn(
        _ now: Instant, _ left: inout Int, _ arena: inout SlabArena,
        into doomed: inout [(entry: Entry, cause: RemovalCause)]
    ) -> Bool {
        guard var walk = walk ?? nextWalk(&arena) else { return false }
        let current = EntryEnd(now)
        while left > 0, doomed.count < EntryPool.removedTogetherMax {
            guard let slot = arena.firstUsed(slab: walk.slab, from: walk.nextSlot) else {
                finish(walk, now.nanoseconds >> EntryEnd.tickShift, &arena)
                return true
            }
            left -= 1
            walk.nextSlot = slot + 1
            let entry = arena.space.entry(arena.reference(slab: walk.slab, slot: slot))
            let end = entry.gone
            if end <= current {
                doomed.append((entry, .expired))
                left -= 2
            } else {
                walk.earliest = min(walk.earliest, end.tick)
            }
        }
        self.walk = walk
        return true
    }

    private mutating func nextWalk(_ arena: inout SlabArena) -> Walk? {
        guard let slab = due.popLast().map(Int.init) else { return nil }
        // Ends noted from now on belong to the next walk.
        arena.slabs[slab].earliestEnd = EntryEnd.neverTick
        return Walk(slab: slab)
    }

    private mutating func finish(_ ended: Walk, _ tick: UInt64, _ arena: inout SlabArena) {
        walk = nil
        // Minimum ticks between two walks of a slab: a second, and more in a large tier, so that
        // walks use a bounded share of the thread.
        let restTicks = UInt64(max(256, arena.slabs.count / 16))
        arena.slabs[ended.slab].restsUntil = tick + restTicks
        let earliest = min(ended.earliest, arena.slabs[ended.slab].earliestEnd)
        arena.slabs[ended.slab].earliestEnd = earliest
        if earliest != EntryEnd.neverTick { note(ended.slab, &arena) }
    }
}

extension EntryPool {
    /// Checks the next `slotLimit` entries of slabs with expired entries, and removes those.
    ///
    /// A removal counts as three slots, so that a slice of expired entries takes little longer than
    /// one without any.
    ///
    /// - Complexity: O(slotLimit), in the order of memory.
    package mutating func expire(slotLimit: Int, now: Instant) -> ExpiryProgress {
        precondition(slotLimit > 0, "the slot limit is positive")
        expiry.collectDue(now, &arena)
        var progress = ExpiryProgress()
        var left = slotLimit
        while left > 0 {
            guard expiry.walkOn(now, &left, &arena, into: &doomed) else {
                progress.isDone = true
                break
            }
            progress.removedCount += removeDoomed()
        }
        if progress.removedCount > 0 { checkInvariants() }
        return progress
    }
}
