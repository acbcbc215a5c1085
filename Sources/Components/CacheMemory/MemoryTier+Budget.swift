package import CacheModel

/// A budget that changes while the tier is in use. Growing is a matter of a moment; shrinking takes
/// slices, and the budget in force falls with them: a store never has to make all the room itself.
extension MemoryTier {
    /// Sets what all entries and their index may take, from 1 to `residentBytesMax` bytes. Where
    /// that is less than they take, ``shrink(stepLimit:bytesLimit:now:)`` has work from now on.
    package mutating func setBudget(_ bytes: Int) {
        precondition(
            bytes > 0 && bytes <= limits.residentBytesMax,
            "a budget lies within the addresses that were reserved for it")
        budgetGoal = bytes
        settleBudget()
        policy.budgetChanged(to: bytes)
        policyBudget = bytes
    }

    /// More is taken than the budget allows in the end.
    package var isOverBudget: Bool { budget > budgetGoal }

    /// What entries, index and policy take now, in bytes.
    package var residentBytes: Int { chargedBytes }

    /// One slice of getting down to the budget: evicts, and moves entries together so that whole
    /// slabs give their memory back.
    ///
    /// Entries of namespaces that refuse when they are full stay. If nothing else is left, it ends
    /// above the goal, and stores find no room until entries end or the goal rises.
    ///
    /// - Parameters:
    ///   - stepLimit: entries evicted or moved, at most.
    ///   - bytesLimit: memory given back, about at most.
    /// - Complexity: O(stepLimit).
    package mutating func shrink(stepLimit: Int, bytesLimit: Int, now: Instant) {
        precondition(stepLimit > 0 && bytesLimit > 0, "shrinking by nothing does not end")
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
                // What is left is index, ghosts and entries that are never evicted.
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

    /// What the budget is held against: so much that a store finds room by one eviction, and need
    /// not empty a slab first.
    private var bytesInForce: Int {
        weights.weighing == .memory
            ? chargedBytes + EntryIndex.growthBytesMax : residentWeight
    }

    /// Entries that kept the tier above its goal are pinned no longer: the shrink begins again from
    /// what is taken, so that no store has to evict all of it.
    mutating func resumeShrinking() {
        budget = max(budgetGoal, min(limits.residentBytesMax, bytesInForce))
    }

    private mutating func settleBudget() {
        budget = max(budgetGoal, min(budget, bytesInForce))
    }
}
