package import CacheModel

/// The result of one slice of sweeping.
package struct SweepProgress: Equatable, Sendable {
    /// Entries removed because they had expired or were hidden.
    package var removedCount = 0
    /// Whether the slice reached the end of a round.
    package var finishedRound = false
}

/// Progress of the sweep.
struct SweepState {
    /// A hash, as in a scan.
    var cursor: UInt64 = 0
    /// Start of the first round after which floors may be retired, and the floor table's ordinal
    /// then; `nil` until the next round begins.
    var mark: (began: Instant, ordinal: FloorOrdinal)?
    /// Ends of rounds until all entries hidden at once have been visited; 0 if nothing is urgent.
    var urgentRounds = 0
    /// Nothing is urgent before this moment, so that invalidations cannot keep the sweep busy.
    var restsUntil = Instant(nanoseconds: 0)

    /// Discards the current round; the next one counts.
    mutating func forgetRound() {
        mark = nil
        cursor = 0
    }

    /// A scope that covers up to `count` of the entries was invalidated: if those are many, their
    /// memory should be freed soon. The rest of this round and the next will visit them.
    mutating func noteHidden(_ count: Int, of entryCount: Int, now: Instant) {
        guard count > 0, count >= entryCount / 64, now >= restsUntil else { return }
        urgentRounds = cursor == 0 ? 1 : 2
    }

    /// - Returns: the floors up to which may be retired.
    mutating func finishRound(now: Instant, _ limits: MemoryTierLimits) -> FloorOrdinal? {
        cursor = 0
        if urgentRounds > 0 {
            urgentRounds -= 1
            restsUntil = now.advanced(by: limits.urgentSweepRest)
        }
        guard let mark, now.elapsed(since: mark.began) >= limits.floorAgeMin else { return nil }
        self.mark = nil
        return mark.ordinal
    }
}

extension MemoryTier {
    /// Continues the round: removes expired and hidden entries from the next `bucketLimit` buckets.
    /// Stops at the end of a round.
    ///
    /// After a full round every entry has been checked against every floor that existed when it
    /// began. Those floors are then retired, once they are older than `floorAgeMin`, and the token
    /// base rises to the highest of them.
    ///
    /// - Complexity: O(bucketLimit); O(floors) at the end of a round that retires.
    package mutating func sweep(bucketLimit: Int, now: Instant) -> SweepProgress {
        precondition(bucketLimit > 0, "the bucket limit is positive")
        defer { entries.checkInvariants() }
        if sweeping.cursor == 0, sweeping.mark == nil {
            sweeping.mark = (began: now, ordinal: entries.floors.ordinal)
        }
        var progress = SweepProgress()
        for _ in 0..<bucketLimit {
            let next = entries.index.cursor(after: sweeping.cursor)
            if let next { entries.index.warm(entries.index.homeNumber(at: next)) }
            progress.removedCount += entries.sweepBucket(at: sweeping.cursor, now: now)
            guard let next else {
                entries.counters.sums.sweeps &+= 1
                if let ordinal = sweeping.finishRound(now: now, entries.limits) {
                    entries.floors.retire(through: ordinal)
                }
                progress.finishedRound = true
                break
            }
            sweeping.cursor = next
            if progress.removedCount >= Self.sweptPerSliceMax { break }
        }
        return progress
    }

    /// Removals that end a slice before its limit: they take longer than checks.
    private static var sweptPerSliceMax: Int { 1_024 }

    /// Whether expired or hidden entries still use memory.
    package var hasDueWork: Bool {
        sweeping.urgentRounds > 0 || entries.expiry.hasDueWork
            || entries.eviction.hasUnsettledQuotas
    }
}
