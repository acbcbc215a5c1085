import CacheMemory
package import CacheModel

/// The memory budget of a shard, and its usage.
extension ShardCore {
    /// Sets the budget of this shard's entries. If they exceed it, ``shrink(now:)`` evicts; nothing
    /// is evicted here.
    ///
    /// - Parameter bytes: more than is configured counts as that, and less than one byte as one.
    package mutating func setMemoryBudget(_ bytes: Int) {
        let budget = min(max(bytes, 1), options.memoryBytes)
        if budget < memoryBudget { statistics.memoryShrinks += 1 }
        tier.setBudget(budget)
    }

    /// The entries exceed their budget. Memory is short then: call ``shrink(now:)`` after every
    /// turn, without sleeping in between.
    package var isOverBudget: Bool { tier.isOverBudget }

    /// One bounded slice of evicting down to the budget.
    package mutating func shrink(now: Instant) {
        tier.shrink(
            stepLimit: ShardLimits.shrinkStepsPerSlice,
            bytesLimit: ShardLimits.shrinkBytesPerSlice, now: now)
    }

    /// The budget of this shard's entries, in bytes.
    package var memoryBudget: Int { tier.budgetGoal }

    /// The size of this shard's entries, in bytes, with all overhead.
    package var memoryInUse: Int { tier.residentBytes }
}
