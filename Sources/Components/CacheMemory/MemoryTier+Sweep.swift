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
        defer { checkInvariants() }
        if sweeping.cursor == 0, sweeping.mark == nil {
            sweeping.mark = (began: now, ordinal: floors.ordinal)
        }
        var progress = SweepProgress()
        for _ in 0..<bucketLimit {
            let next = index.cursor(after: sweeping.cursor)
            if let next { index.warm(index.homeNumber(at: next)) }
            progress.removedCount += sweepBucket(at: sweeping.cursor, now: now)
            guard let next else {
                finishRound(now: now)
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

    private mutating func sweepBucket(at position: UInt64, now: Instant) -> Int {
        let number = index.homeNumber(at: position)
        collect(bucket: number)
        for entry in scratch {
            if case .over(let cause) = check(entry, now: now) {
                doomed.append((entry, cause))
            } else {
                entry.stopAges(at: now)
            }
        }
        let removedCount = removeDoomed()
        // A removal may have joined buckets; a chain is complete at any time.
        if removedCount > 0, number < index.bucketCount { index.tidy(number) }
        return removedCount
    }

    /// Whether expired or hidden entries still use memory.
    package var hasDueWork: Bool {
        sweeping.urgentRounds > 0 || hasDueExpiry || hasUnsettledQuotas
    }

    /// A scope that covers up to `count` entries was invalidated: if those are many, their memory
    /// should be freed soon. The rest of this round and the next will visit them.
    mutating func noteHidden(_ count: Int, now: Instant) {
        guard count > 0, count >= index.count / 64, now >= sweeping.restsUntil else { return }
        sweeping.urgentRounds = sweeping.cursor == 0 ? 1 : 2
    }

    private mutating func finishRound(now: Instant) {
        sweeping.cursor = 0
        counters.sweeps &+= 1
        if sweeping.urgentRounds > 0 {
            sweeping.urgentRounds -= 1
            sweeping.restsUntil = now.advanced(by: limits.urgentSweepRest)
        }
        guard let mark = sweeping.mark,
            now.elapsed(since: mark.began) >= limits.floorAgeMin
        else { return }
        floors.retire(through: mark.ordinal)
        sweeping.mark = nil
    }
}
