/// How far the ring has gone round.
extension DiskTier {
    /// Segments that are to be free besides the active one.
    var freeSegmentsMin: Int { space.ring.count >= 8 ? 2 : 1 }

    /// Segments that cleaning keeps free: more than stores have to find free, so that they go on
    /// while it works; all but two, at most.
    private var freeSegmentsWanted: Int {
        let wanted = max(freeSegmentsMin + 2, space.ring.count / 8)
        return min(wanted, max(freeSegmentsMin, space.ring.count - 2))
    }

    /// Whether the oldest segment is to be emptied: because nothing else makes room, because the
    /// ring holds little, and cleaning it loses nothing, or because a place is to be withdrawn;
    /// also while segments are free, if a namespace has no room in its share.
    ///
    /// - Complexity: O(1), and O(free segments) where fewer are free than cleaning keeps.
    var isReclaimDue: Bool {
        // While a place is on its way out, no other is to be emptied for the next.
        let least = freeSegmentsMin + (isShrinking && space.move == nil ? 1 : 0)
        guard reclaiming == nil, state == .open, active != .none else { return false }
        let hasFree = isFree(ahead: max(least, freeSegmentsWanted))
        guard !hasFree || shares.isShort, let oldest = oldestSealed else { return false }
        guard !hasFree else { return isDueForShare(oldest) }
        return !willBeFree(ahead: least) || isSparse || oldest.isOver(at: now)
    }

    /// The oldest segment, if it can be emptied; one before it of which nothing was believed when
    /// the tier was opened, or reset.
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

    /// The newest number before this one of which the place is not free.
    private func lastUsed(before number: SegmentNumber) -> SegmentNumber {
        var number = number
        for _ in 0..<space.ring.count {
            number = space.ring.number(before: number)
            guard number != .none, segments[ring(number)].use == .free else { break }
        }
        return number
    }

    /// Whether what is shown takes half of the ring at most, and less than cleaning could leave,
    /// and enough has been stored to pay for cleaning a segment.
    var isSparse: Bool {
        let usable = space.ring.count - freeSegmentsWanted - 3
        let segmentsMax = max(0, min(space.ring.count / 2, usable))
        return movedShareMax > 0 && liveBytes <= segmentsMax * geometry.segmentBytes
            && cleaningCredit >= geometry.segmentBytes
    }

    /// Whether the log goes on where it is, or in a segment that is free.
    func hasSegment(for bytes: Int) -> Bool {
        canBegin || active != .none && fits(bytes + removalReserve)
    }

    /// Whether more segments are free than reclaiming keeps free: then nothing has to leave for
    /// what is appended.
    ///
    /// - Complexity: O(1).
    package var hasFreeSegments: Bool {
        for count in 1...freeSegmentsMin + 1 where !isFree(ahead: count) { return false }
        return true
    }

    /// Whether every segment has been used, so that what is appended now was paid for by cleaning,
    /// or will have to be.
    package var hasGoneRound: Bool { active.rawValue > UInt64(geometry.segmentCount) }

    /// Whether three quarters of the ring are used, or more.
    ///
    /// - Complexity: O(1).
    package var isNearlyFull: Bool {
        !isFree(ahead: max(freeSegmentsMin + 1, space.ring.count / 4))
    }

    /// How many entries it will hold about once the ring has gone round.
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

    /// The one that is written.
    package var newestSegment: SegmentNumber { active }

    /// Those before it are nothing any more.
    package var oldestSegment: SegmentNumber { tail.state.oldest }

    /// Before it lies what is nothing, or is about to be.
    var oldestKept: SegmentNumber { max(oldestSegment, reclaiming?.segment.next ?? .none) }

    /// Whether something that was stored before waits to be appended, or appended again.
    package var isMoving: Bool {
        !storing.isEmpty || reclaiming.map { $0.keepsAll || $0.movesInFlight > 0 } ?? false
    }

    /// Whether so many segments after the active one are free, without the one that is on its way
    /// out or in.
    private func willBeFree(ahead count: Int) -> Bool {
        guard let moving = space.moving else { return isFree(ahead: count) }
        let isPassed = (1...count).contains {
            ring(space.ring.number(after: active, by: $0)) == moving
        }
        return isFree(ahead: isPassed ? count + 1 : count)
    }

    /// Whether the segment so many places of the ring after the active one is free. As the free
    /// ones are one run of the ring, those before it are too – but where damage was found, or a
    /// place is on its way out or in.
    func isFree(ahead count: Int) -> Bool {
        segments[ring(space.ring.number(after: active, by: count))].use == .free
    }
}
