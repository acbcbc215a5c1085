package import CacheModel

/// What one slice of sweeping did.
package struct SweepProgress: Equatable, Sendable {
    /// Entries removed, because they had expired or were hidden.
    package var removedCount = 0
    /// The slice came to the end of a round.
    package var finishedRound = false
}

/// Where the sweep stands.
struct SweepState {
    /// A hash, as in a scan.
    var cursor: UInt64 = 0
    /// When the first of the rounds began after which floors may be retired, and what the floor
    /// table's ordinal was; `nil` until the next round begins.
    var mark: (began: Instant, ordinal: FloorOrdinal)?

    /// The round under way counts for nothing; the next one does.
    mutating func forgetRound() {
        mark = nil
        cursor = 0
    }
}

extension MemoryTier {
    /// Goes on round the tier: removes what has expired or is hidden in the next `bucketLimit`
    /// buckets. Stops at the end of a round.
    ///
    /// After a full round every entry has been held against every floor that stood when it began.
    /// Those floors are then retired, once they are older than `floorAgeMin`, and the token base
    /// rises to the highest of them.
    ///
    /// - Complexity: O(bucketLimit); O(floors) at the end of a round that retires.
    package mutating func sweep(bucketLimit: Int, now: Instant) -> SweepProgress {
        precondition(bucketLimit > 0, "a sweep that takes no bucket does not end")
        defer { checkInvariants() }
        if sweeping.cursor == 0, sweeping.mark == nil {
            sweeping.mark = (began: now, ordinal: floors.ordinal)
        }
        var progress = SweepProgress()
        for _ in 0..<bucketLimit {
            progress.removedCount += sweepBucket(at: sweeping.cursor, now: now)
            guard let next = index.cursor(after: sweeping.cursor) else {
                finishRound(now: now)
                progress.finishedRound = true
                break
            }
            sweeping.cursor = next
        }
        return progress
    }

    private mutating func sweepBucket(at position: UInt64, now: Instant) -> Int {
        collectBucket(at: position)
        var removedCount = 0
        for entry in scratch {
            guard let cause = check(entry, now: now) else { continue }
            remove(entry, cause: cause)
            removedCount += 1
        }
        if removedCount > 0 { index.tidy(home: index.homeIndex(position)) }
        return removedCount
    }

    private mutating func finishRound(now: Instant) {
        sweeping.cursor = 0
        counters.sweeps &+= 1
        guard let mark = sweeping.mark,
            now.elapsed(since: mark.began) >= limits.floorAgeMin
        else { return }
        floors.retire(through: mark.ordinal)
        sweeping.mark = nil
    }
}
