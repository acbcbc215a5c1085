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
    /// Ends of rounds until all that was hidden at once has been met; 0 if nothing is urgent.
    var urgentRounds = 0
    /// Nothing is urgent before this moment, so that invalidations cannot keep the sweep busy.
    var restsUntil = Instant(nanoseconds: 0)

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

    /// Removals after which a slice ends before its limit: they take longer than looking.
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
        // A removal may have joined buckets; the chain is whole at any number then.
        if removedCount > 0, number < index.bucketCount { index.tidy(number) }
        return removedCount
    }

    /// Something has expired or much was hidden, and room is still to be given back.
    package var hasDueWork: Bool {
        sweeping.urgentRounds > 0 || hasDueExpiry || hasUnsettledQuotas
    }

    /// A scope was invalidated that covers perhaps as many as `count` entries: if those are many,
    /// their space should come back soon. The rest of this round and the next will meet them.
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
