import CacheModel

/// Computes the share of waiting time per interval from a running total that is read at times.
struct StallMeter: Sendable {
    private var last: (stalled: Duration, at: Instant)?
    private var share = 0.0
    private var stalledReadings = 0

    /// Enough consecutive readings were stalled.
    var areMany: Bool { stalledReadings >= BudgetLimits.stalledReadingsMin }

    /// The share of the time since the last reading, 0 to 1. Two readings close together count as
    /// one; a total that is missing, or has fallen because it is another source's, gives no share.
    mutating func share(_ stalled: Duration?, now: Instant) -> Double {
        guard let stalled, let (before, then) = last, before <= stalled else {
            last = stalled.map { ($0, now) }
            stalledReadings = 0
            share = 0
            return share
        }
        let elapsed = now.elapsed(since: then)
        guard elapsed >= BudgetLimits.stallWindowMin else { return share }
        last = (stalled, now)
        share = min((stalled - before) / elapsed, 1)
        stalledReadings = share >= BudgetLimits.stallShareMax ? stalledReadings + 1 : 0
        return share
    }
}
