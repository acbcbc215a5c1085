/// How far the ring has gone round.
extension DiskTier {
    /// Segments that are to be free besides the active one.
    var freeSegmentsMin: Int { geometry.segmentCount >= 8 ? 2 : 1 }

    /// Segments that cleaning keeps free: more than stores have to find free, so that they go on
    /// while it works; all but two, at most.
    private var freeSegmentsWanted: Int {
        let wanted = max(freeSegmentsMin + 2, geometry.segmentCount / 8)
        return min(wanted, max(freeSegmentsMin, geometry.segmentCount - 2))
    }

    /// Whether the oldest segment is to be emptied: because nothing else makes room, or because the
    /// ring holds little, and cleaning it loses nothing; also while segments are free, if a
    /// namespace has no room in its share.
    ///
    /// - Complexity: O(1).
    var isReclaimDue: Bool {
        guard reclaiming == nil, state == .open, active != .none else { return false }
        let hasFree = isFree(ahead: freeSegmentsWanted)
        guard !hasFree || shares.isShort, let oldest = oldestSealed else { return false }
        guard !hasFree else { return isDueForShare(oldest) }
        return !isFree(ahead: freeSegmentsMin) || isSparse || oldest.isOver(at: now)
    }

    /// The oldest segment, if it can be emptied; one that was passed over before it.
    var oldestSealed: SegmentState? {
        let oldest = tail.state.oldest
        let before = SegmentNumber(oldest.rawValue - 1)
        for number in [before, oldest] where number != .none {
            let segment = segments[ring(number)]
            guard segment.number == number, segment.use == .sealed else { continue }
            return segment.isSettled ? segment : nil
        }
        return nil
    }

    /// Whether what is shown takes half of the ring at most, and less than cleaning could leave,
    /// and enough has been stored to pay for cleaning a segment.
    var isSparse: Bool {
        let usable = geometry.segmentCount - freeSegmentsWanted - 3
        let segmentsMax = max(0, min(geometry.segmentCount / 2, usable))
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
        !isFree(ahead: max(freeSegmentsMin + 1, geometry.segmentCount / 4))
    }

    /// How many entries it will hold about once the ring has gone round.
    ///
    /// - Complexity: O(segments).
    package var entryCountExpected: Int {
        let used = segments.count { $0.use != .free }
        return used == 0 ? 0 : index.count * geometry.segmentCount / used
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

    /// Whether the segment so many places after the active one is free. As the free ones are one
    /// run of the ring, those before it are too – but where damage was found.
    private func isFree(ahead count: Int) -> Bool {
        segments[ring(SegmentNumber(active.rawValue + UInt64(count)))].use == .free
    }
}
