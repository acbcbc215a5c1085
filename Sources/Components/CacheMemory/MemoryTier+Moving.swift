extension MemoryTier {
    /// Moves entries from sparse slabs into holes of others, so that memory no longer needed by one
    /// size is available to another.
    ///
    /// - Returns: how many were moved; 0 if nothing can be gained.
    /// - Complexity: O(limit), occasionally O(slabs).
    package mutating func closeHoles(limit: Int) -> Int {
        precondition(limit > 0, "the move limit is positive")
        var movedCount = 0
        while movedCount < limit, let move = arena.planMove() {
            let old = arena.space.entry(move.from)
            let new = arena.space.entry(move.to)
            let blockBytes = old.blockBytes
            new.base.copyMemory(from: old.base, byteCount: blockBytes)
            index.replace(old, with: new)
            policy.moved(from: old, to: new)
            noteEnd(of: new)
            arena.give(move.from, blockBytes)
            movedCount += 1
        }
        counters.moves &+= UInt64(movedCount)
        return movedCount
    }

    /// Closes holes if there are more than are tolerated: the work of a tick.
    package mutating func tidy(limit: Int) {
        guard areHolesMany else { return }
        _ = closeHoles(limit: limit)
        checkInvariants()
    }
}
