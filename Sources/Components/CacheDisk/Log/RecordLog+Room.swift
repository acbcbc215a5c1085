/// How much of the ring is in use.
extension RecordLog {
    /// Minimum of free segments besides the active one.
    var freeSegmentsMin: Int { ring.count >= 8 ? 2 : 1 }

    /// Free segments that cleaning maintains: more than stores need, so that they continue while it
    /// works; at most all but two.
    var freeSegmentsWanted: Int {
        let wanted = max(freeSegmentsMin + 2, ring.count / 8)
        return min(wanted, max(freeSegmentsMin, ring.count - 2))
    }

    /// The oldest segment, if it can be emptied; else an earlier one that was void when the tier
    /// was opened, or reset.
    var oldestSealed: SegmentState? {
        let first = tail.state.oldest
        let oldest = ring.contains(first) ? first : next(after: first)
        for number in [lastUsed(before: oldest), oldest] where number != .none {
            let segment = segments[place(of: number)]
            guard segment.number == number, segment.use == .sealed else { continue }
            return segment.isSettled ? segment : nil
        }
        return nil
    }

    /// The newest number before this one with a place that is not free.
    private func lastUsed(before number: SegmentNumber) -> SegmentNumber {
        var number = number
        for _ in 0..<ring.count {
            number = ring.number(before: number)
            guard number != .none, segments[place(of: number)].use == .free else { break }
        }
        return number
    }

    /// Makes this segment and all earlier ones void.
    mutating func sayOldest(after number: SegmentNumber) {
        let first = first(after: number)
        tail.say { $0.oldest = max($0.oldest, first) }
    }

    /// Whether visible entries use at most half of the ring, and less than cleaning could leave,
    /// and enough has been stored to pay for cleaning a segment.
    var isSparse: Bool {
        let usable = ring.count - freeSegmentsWanted - 3
        let segmentsMax = max(0, min(ring.count / 2, usable))
        return cleaning.movedShareMax > 0 && liveBytes <= segmentsMax * geometry.segmentBytes
            && cleaning.credit >= geometry.segmentBytes
    }

    /// Whether the log continues where it is, or in a free segment.
    func hasSegment(for bytes: Int) -> Bool {
        canBegin || active != .none && fits(bytes + removalReserve)
    }

    /// Whether there is space for it without using the reserve of other records.
    func canAppend(_ bytes: Int) -> Bool {
        guard hasSegment(for: bytes) else { return false }
        let goesOn = active != .none && fits(bytes + (canBegin ? 0 : removalReserve))
        // As in `makeRoom`: the last slot is for removals.
        let fitsSlot = goesOn && tail.roomBytes >= bytes && tail.freeCount > 0
        return fitsSlot || tail.freeCount >= DiskLimits.slotsLeftByParts
    }

    /// Whether the segment so many ring places after the active one is free. As the free ones are
    /// one run of the ring, those before it are too – except after damage, or if a place is leaving
    /// or returning.
    func isFree(ahead count: Int) -> Bool {
        segments[place(of: ring.number(after: active, by: count))].use == .free
    }

    /// Whether more segments are free than reclaiming maintains.
    var hasFreeSegments: Bool {
        (1...freeSegmentsMin + 1).allSatisfy { isFree(ahead: $0) }
    }
}

/// What may be re-appended when segments are emptied.
struct CleaningBudget {
    /// Bytes that cleaning may still write, earned by stores.
    var credit: Int
    /// Maximum share of a segment's bytes that is re-appended when it is reclaimed and the ring is
    /// full. 0: nothing is re-appended, nor is the ring cleaned.
    var movedShareMax = DiskLimits.movedShareMax
    /// The segment of the newest re-appended record.
    var newestMove = SegmentNumber.none

    init(credit: Int) { self.credit = credit }

    mutating func earn(_ recordBytes: Int, upTo creditMax: Int) {
        credit = min(creditMax, credit + DiskLimits.cleaningPerStored * recordBytes)
    }
}
