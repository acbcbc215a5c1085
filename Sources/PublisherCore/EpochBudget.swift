import CacheModel

/// How many epochs are opened on nodes' word: a few at once, and then one now and then.
///
/// Each of them hides everything on every node, and a shard can tell 65 535 apart before it has to
/// begin anew: one node that claims to be ahead without end must not bring all others there. A log
/// that lost records needs one, or one more where somebody who knows a greater epoch comes late.
struct EpochBudget {
    /// When it would be full again.
    private var fullAt = Instant(nanoseconds: 0)

    /// Whether one may be opened now; if so, it is counted.
    mutating func take(now: Instant) -> Bool {
        let spacing = PublisherLimits.epochSpacing
        let emptyAt = now.advanced(by: spacing * (PublisherLimits.epochsAtOnceMax - 1))
        guard fullAt <= emptyAt else { return false }
        fullAt = max(fullAt, now).advanced(by: spacing)
        return true
    }
}
