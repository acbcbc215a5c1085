package import CacheModel

/// The result of one slice of expiry.
package struct ExpiryProgress: Equatable, Sendable {
    package var removedCount = 0
    /// No more expiry is due now.
    package var isDone = false
}

/// Progress of expiry.
struct ExpiryState {
    var wheel = SlabWheel()
    /// Slabs that are due, and the one being walked.
    var due: [UInt32] = []
    var walk: Walk?

    struct Walk {
        var slab: Int
        var nextSlot = 0
        /// The earliest end of the remaining entries.
        var earliest = EntryEnd.neverTick
    }
}

extension MemoryTier {
    /// Minimum ticks between two walks of a slab: a second, and more in a large tier, so that walks
    /// use a bounded share of the thread.
    private var restTicks: UInt64 {
        UInt64(max(256, arena.slabs.count / 16))
    }

    /// Checks the next `slotLimit` entries of slabs with expired entries, and removes those.
    ///
    /// A removal counts as three slots, so that a slice of expired entries takes little longer than
    /// one without any.
    ///
    /// - Complexity: O(slotLimit), in the order of memory.
    package mutating func expire(slotLimit: Int, now: Instant) -> ExpiryProgress {
        precondition(slotLimit > 0, "the slot limit is positive")
        collectDue(now.nanoseconds >> EntryEnd.tickShift)
        var progress = ExpiryProgress()
        var left = slotLimit
        while left > 0 {
            guard let walk = expiry.walk ?? nextWalk() else {
                progress.isDone = true
                break
            }
            expiry.walk = walk
            advance(now, &left, &progress)
        }
        if progress.removedCount > 0 { checkInvariants() }
        return progress
    }

    /// Whether known expired entries are still to be removed.
    package var hasDueExpiry: Bool { expiry.walk != nil || !expiry.due.isEmpty }

    /// Schedules a walk of the entry's slab for the time when the entry becomes useless.
    mutating func noteEnd(of entry: Entry) {
        let end = entry.gone.tick
        guard end != EntryEnd.neverTick else { return }
        let slab = arena.slab(of: arena.space.reference(entry))
        guard end < arena.slabs[slab].earliestEnd else { return }
        arena.slabs[slab].earliestEnd = end
        note(slab)
    }

    private mutating func note(_ slab: Int) {
        let tick = max(arena.slabs[slab].earliestEnd, arena.slabs[slab].restsUntil)
        arena.slabs[slab].notedAt = expiry.wheel.note(slab, at: tick)
    }

    private mutating func collectDue(_ tick: UInt64) {
        var due: [(Int, UInt64)] = []
        expiry.wheel.turn(to: tick) { due.append(($0, $1)) }
        for (slab, spoke) in due
        where slab < arena.slabs.count
            && SlabWheel.isValid(note: arena.slabs[slab].notedAt, at: spoke)
        {
            arena.slabs[slab].notedAt = SlabWheel.nowhere
            if max(arena.slabs[slab].earliestEnd, arena.slabs[slab].restsUntil) > tick {
                note(slab)
            } else {
                expiry.due.append(UInt32(slab))
            }
        }
    }

    private mutating func nextWalk() -> ExpiryState.Walk? {
        guard let slab = expiry.due.popLast().map(Int.init) else { return nil }
        // Ends noted from now on belong to the next walk.
        arena.slabs[slab].earliestEnd = EntryEnd.neverTick
        return ExpiryState.Walk(slab: slab)
    }

    private mutating func advance(
        _ now: Instant, _ left: inout Int, _ progress: inout ExpiryProgress
    ) {
        guard var walk = expiry.walk else { return }
        let current = EntryEnd(now)
        defer { progress.removedCount += removeDoomed() }
        while left > 0, doomed.count < Self.removedTogetherMax {
            guard let slot = arena.firstUsed(slab: walk.slab, from: walk.nextSlot) else {
                return finish(walk, now.nanoseconds >> EntryEnd.tickShift)
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
        expiry.walk = walk
    }

    private mutating func finish(_ walk: ExpiryState.Walk, _ tick: UInt64) {
        expiry.walk = nil
        arena.slabs[walk.slab].restsUntil = tick + restTicks
        let earliest = min(walk.earliest, arena.slabs[walk.slab].earliestEnd)
        arena.slabs[walk.slab].earliestEnd = earliest
        if earliest != EntryEnd.neverTick { note(walk.slab) }
    }
}
