package import CacheModel

/// The budget in force, and the one that it shrinks to.
struct MemoryBudget {
    /// Maximum weight of all entries and their index now.
    private(set) var inForce: Int
    /// In slices; ``MemoryTierLimits/residentBytesMax`` unless memory is short.
    private(set) var goal: Int

    init(_ bytes: Int) { (inForce, goal) = (bytes, bytes) }

    var isOverGoal: Bool { inForce > goal }

    mutating func setGoal(_ bytes: Int, used: Int) {
        goal = bytes
        settle(used: used)
    }

    /// It falls with what is in use.
    mutating func settle(used: Int) { inForce = max(goal, min(inForce, used)) }

    /// What is in use above the goal cannot be evicted.
    mutating func reachGoal() { inForce = goal }

    /// Restarts a shrink from what is in use.
    mutating func resume(used: Int, most: Int) { inForce = max(goal, min(most, used)) }
}

/// A budget that changes while the tier is in use. Growing is immediate; shrinking takes slices,
/// and the budget in force falls with them: a store never has to free all the space itself.
extension EntryPool {
    /// Sets the maximum for all entries and their index, from 1 to `residentBytesMax` bytes. Below
    /// the current use, ``shrink(stepLimit:bytesLimit:now:)`` has work from now on.
    package mutating func setBudget(_ bytes: Int) {
        precondition(
            bytes > 0 && bytes <= limits.residentBytesMax,
            "a budget is within the reserved addresses")
        budget.setGoal(bytes, used: bytesInForce)
        eviction.setBudget(bytes)
    }

    /// Whether the budget in force is above its goal.
    package var isOverBudget: Bool { budget.isOverGoal }

    /// The value that the budget shrinks to, in bytes.
    package var budgetGoal: Int { budget.goal }

    /// One slice of shrinking to the budget: evicts, and compacts entries so that whole slabs
    /// release their memory. Entries of namespaces that refuse when full stay. If nothing else is
    /// left, it ends above the goal, and stores find no space until entries end or the goal rises.
    ///
    /// - Parameters:
    ///   - stepLimit: maximum number of entries evicted or moved.
    ///   - bytesLimit: approximate maximum of memory released.
    /// - Complexity: O(stepLimit).
    package mutating func shrink(stepLimit: Int, bytesLimit: Int, now: Instant) {
        precondition(stepLimit > 0 && bytesLimit > 0, "the limits are positive")
        guard isOverBudget else { return }
        let enough = max(budget.goal, bytesInForce - bytesLimit)
        var left = stepLimit
        while left > 0, bytesInForce > enough {
            if areHolesMany {
                let movedCount = closeHoles(limit: min(left, Self.movesPerStep))
                left -= movedCount
                if movedCount > 0 { continue }
            }
            guard let victim = eviction.policy.takeVictim() else {
                if eviction.quotas?.joinCursor != nil {
                    _ = joinSlice(bucketLimit: left)
                    break
                }
                // Only the index, ghosts and entries that are never evicted are left.
                budget.reachGoal()
                return checkInvariants()
            }
            evict(victim, now: now)
            left -= 1
        }
        budget.settle(used: bytesInForce)
        checkInvariants()
    }

    private static var movesPerStep: Int { 64 }

    /// The bytes compared with the budget, so that a store finds space by one eviction, and need
    /// not empty a slab first.
    private var bytesInForce: Int {
        weights.weighing == .memory
            ? residentBytes + EntryIndex.growthBytesMax : residentWeight
    }

    /// After entries that kept the tier above its goal are no longer pinned: restarts the shrink
    /// from the current use, so that no store has to evict all of it.
    mutating func resumeShrinking() {
        budget.resume(used: bytesInForce, most: limits.residentBytesMax)
    }
}

extension EntryPool {
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
            eviction.policy.moved(from: old, to: new)
            expiry.noteEnd(of: new, &arena)
            arena.give(move.from, blockBytes)
            movedCount += 1
        }
        counters.sums.moves &+= UInt64(movedCount)
        return movedCount
    }

    /// Closes holes if there are more than are tolerated: the work of a tick.
    package mutating func tidy(limit: Int) {
        guard areHolesMany else { return }
        _ = closeHoles(limit: limit)
        checkInvariants()
    }
}
