import CacheMemory
package import CacheModel

/// What the node tells a shard of memory, and asks.
extension ShardCore {
    /// Sets what this shard's entries may take from now on. Where they take more,
    /// ``shrink(now:)`` evicts; nothing is evicted here.
    ///
    /// - Parameter bytes: more than is configured counts as that, and less than one byte as one.
    package mutating func setMemoryBudget(_ bytes: Int) {
        let budget = min(max(bytes, 1), options.memoryBytes)
        if budget < memoryBudget { statistics.memoryShrinks += 1 }
        tier.setBudget(budget)
    }

    /// The entries take more than they may. Memory is short then, so ``shrink(now:)`` should be
    /// called after every turn, and nobody should sleep in between.
    package var isOverBudget: Bool { tier.isOverBudget }

    /// One bounded slice of evicting down to the budget.
    package mutating func shrink(now: Instant) {
        tier.shrink(
            stepLimit: ShardLimits.shrinkStepsPerSlice,
            bytesLimit: ShardLimits.shrinkBytesPerSlice, now: now)
    }

    /// What this shard's entries may take, in bytes.
    package var memoryBudget: Int { tier.budgetGoal }

    /// What this shard's entries take, in bytes, with all their bookkeeping.
    package var memoryInUse: Int { tier.residentBytes }
}
