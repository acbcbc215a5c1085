package import CacheModel

/// A budget that changes while the tier is in use. Growing is immediate; shrinking takes slices,
/// and the budget in force falls with them: a store never has to free all the space itself.
extension MemoryTier {
    /// Sets the maximum for all entries and their index, from 1 to `residentBytesMax` bytes. Below
    /// the current use, ``shrink(stepLimit:bytesLimit:now:)`` has work from now on.
    package mutating func setBudget(_ bytes: Int) {
        precondition(
            bytes > 0 && bytes <= limits.residentBytesMax,
            "a budget is within the reserved addresses")
        budgetGoal = bytes
        settleBudget()
        policy.budgetChanged(to: bytes)
        policyBudget = bytes
    }

    /// Whether the budget in force is above its goal.
    package var isOverBudget: Bool { budget > budgetGoal }

    /// Memory used by entries, index and policy now, in bytes.
    package var residentBytes: Int { chargedBytes }

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
        let enough = max(budgetGoal, bytesInForce - bytesLimit)
        var left = stepLimit
        while left > 0, bytesInForce > enough {
            if areHolesMany {
                let movedCount = closeHoles(limit: min(left, Self.movesPerStep))
                left -= movedCount
                if movedCount > 0 { continue }
            }
            guard let victim = policy.takeVictim() else {
                if quotas?.joinCursor != nil {
                    _ = joinSlice(bucketLimit: left)
                    break
                }
                // Only the index, ghosts and entries that are never evicted are left.
                budget = budgetGoal
                return checkInvariants()
            }
            evict(victim, now: now)
            left -= 1
        }
        settleBudget()
        checkInvariants()
    }

    private static var movesPerStep: Int { 64 }

    /// The bytes compared with the budget, so that a store finds space by one eviction, and need
    /// not empty a slab first.
    private var bytesInForce: Int {
        weights.weighing == .memory
            ? chargedBytes + EntryIndex.growthBytesMax : residentWeight
    }

    /// After entries that kept the tier above its goal are no longer pinned: restarts the shrink
    /// from the current use, so that no store has to evict all of it.
    mutating func resumeShrinking() {
        budget = max(budgetGoal, min(limits.residentBytesMax, bytesInForce))
    }

    private mutating func settleBudget() {
        budget = max(budgetGoal, min(budget, bytesInForce))
    }
}
