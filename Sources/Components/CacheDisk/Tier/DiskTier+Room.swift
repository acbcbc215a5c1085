/// How much of the ring is in use.
extension DiskTier {
    /// Minimum of free segments besides the active one.
    var freeSegmentsMin: Int { space.ring.count >= 8 ? 2 : 1 }

    /// Free segments that cleaning maintains: more than stores need, so that they continue while it
    /// works; at most all but two.
    private var freeSegmentsWanted: Int {
        let wanted = max(freeSegmentsMin + 2, space.ring.count / 8)
        return min(wanted, max(freeSegmentsMin, space.ring.count - 2))
    }

    /// Whether the oldest segment is to be emptied: because no other is free, because the ring is
    /// sparse, and cleaning it loses nothing, or because a place is to be withdrawn; also while
    /// segments are free, if a namespace's share is full.
    ///
    /// - Complexity: O(1), and O(free segments) if fewer are free than cleaning maintains.
    var isReclaimDue: Bool {
        // While a place is being withdrawn, no other is to be emptied for the next withdrawal.
        let least = freeSegmentsMin + (isShrinking && space.move == nil ? 1 : 0)
        guard reclaiming == nil, state == .open, active != .none else { return false }
        let hasFree = isFree(ahead: max(least, freeSegmentsWanted))
        guard !hasFree || shares.isShort, let oldest = oldestSealed else { return false }
        guard !hasFree else { return isDueForShare(oldest) }
        return !willBeFree(ahead: least) || isSparse || oldest.isOver(at: now)
    }

    /// The oldest segment, if it can be emptied; else an earlier one that was void when the tier
    /// was opened, or reset.
    var oldestSealed: SegmentState? {
        let first = tail.state.oldest
        let oldest = space.ring.contains(first) ? first : next(after: first)
        for number in [lastUsed(before: oldest), oldest] where number != .none {
            let segment = segments[ring(number)]
            guard segment.number == number, segment.use == .sealed else { continue }
            return segment.isSettled ? segment : nil
        }
        return nil
    }

    /// The newest number before this one with a place that is not free.
    private func lastUsed(before number: SegmentNumber) -> SegmentNumber {
        var number = number
        for _ in 0..<space.ring.count {
            number = space.ring.number(before: number)
            guard number != .none, segments[ring(number)].use == .free else { break }
        }
        return number
    }

    /// Whether visible entries use at most half of the ring, and less than cleaning could leave,
    /// and enough has been stored to pay for cleaning a segment.
    var isSparse: Bool {
        let usable = space.ring.count - freeSegmentsWanted - 3
        let segmentsMax = max(0, min(space.ring.count / 2, usable))
        return movedShareMax > 0 && liveBytes <= segmentsMax * geometry.segmentBytes
            && cleaningCredit >= geometry.segmentBytes
    }

    /// Whether the log continues where it is, or in a free segment.
    func hasSegment(for bytes: Int) -> Bool {
        canBegin || active != .none && fits(bytes + removalReserve)
    }

    /// Whether more segments are free than reclaiming maintains: then no entry has to be dropped
    /// for a new one.
    ///
    /// - Complexity: O(1).
    package var hasFreeSegments: Bool {
        for count in 1...freeSegmentsMin + 1 where !isFree(ahead: count) { return false }
        return true
    }

    /// Whether every segment has been used, so that cleaning has to pay for each append.
    package var hasGoneRound: Bool { active.rawValue > UInt64(geometry.segmentCount) }

    /// Whether at least three quarters of the ring are used.
    ///
    /// - Complexity: O(1).
    package var isNearlyFull: Bool {
        !isFree(ahead: max(freeSegmentsMin + 1, space.ring.count / 4))
    }

    /// The approximate number of entries once the ring has wrapped.
    ///
    /// - Complexity: O(segments).
    package var entryCountExpected: Int {
        let used = segments.count { $0.use != .free && $0.use != .withdrawn }
        return used == 0 ? 0 : index.count * space.ring.count / used
    }

    /// Whether it has a record of this fingerprint, or is appending one: the newest there is.
    package func holds(_ fingerprint: Fingerprint) -> Bool {
        guard state == .open else { return false }
        return index.find(fingerprint) != nil
            || storing.contains { $0.fingerprint == fingerprint }
    }

    /// The one being written.
    package var newestSegment: SegmentNumber { active }

    /// Those before it are void.
    package var oldestSegment: SegmentNumber { tail.state.oldest }

    /// Segments before it are void, or about to be.
    var oldestKept: SegmentNumber { max(oldestSegment, reclaiming?.segment.next ?? .none) }

    /// Whether older records wait to be appended or re-appended.
    package var isMoving: Bool {
        !storing.isEmpty || reclaiming.map { $0.keepsAll || $0.movesInFlight > 0 } ?? false
    }

    /// Whether so many segments after the active one are free, without a place that is leaving or
    /// returning.
    private func willBeFree(ahead count: Int) -> Bool {
        guard let moving = space.moving else { return isFree(ahead: count) }
        let isPassed = (1...count).contains {
            ring(space.ring.number(after: active, by: $0)) == moving
        }
        return isFree(ahead: isPassed ? count + 1 : count)
    }

    /// Whether the segment so many ring places after the active one is free. As the free ones are
    /// one run of the ring, those before it are too – except after damage, or if a place is leaving
    /// or returning.
    func isFree(ahead count: Int) -> Bool {
        segments[ring(space.ring.number(after: active, by: count))].use == .free
    }
}
