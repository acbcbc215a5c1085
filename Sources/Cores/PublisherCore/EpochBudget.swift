import CacheModel

/// How many epochs nodes' reports may open: a burst, then one per ``PublisherLimits/epochSpacing``.
///
/// Each new epoch hides all entries on every node, and a shard can distinguish 65 535 epochs before
/// it must be restarted. A node that keeps claiming to be ahead must not use them up for all
/// others. A log that lost records needs one epoch, and one more if a node that knows a greater
/// epoch reports late.
struct EpochBudget {
    /// When the budget is full again.
    private var fullAt = Instant(nanoseconds: 0)

    /// Takes one epoch out of the budget; `false` if the budget is empty.
    mutating func take(now: Instant) -> Bool {
        let spacing = PublisherLimits.epochSpacing
        let emptyAt = now.advanced(by: spacing * (PublisherLimits.epochsAtOnceMax - 1))
        guard fullAt <= emptyAt else { return false }
        fullAt = max(fullAt, now).advanced(by: spacing)
        return true
    }
}
