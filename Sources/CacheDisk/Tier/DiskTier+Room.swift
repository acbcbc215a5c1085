/// How far the ring has gone round.
extension DiskTier {
    /// Segments that are to be free besides the active one.
    var freeSegmentsMin: Int { geometry.segmentCount >= 8 ? 2 : 1 }

    /// Whether more segments are free than reclaiming keeps free: then nothing has to leave for
    /// what is appended.
    ///
    /// - Complexity: O(1).
    package var hasFreeSegments: Bool {
        for count in 1...freeSegmentsMin + 1 where !isFree(ahead: count) { return false }
        return true
    }

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

    /// Whether something that was stored before waits to be appended, or appended again.
    package var isMoving: Bool { !storing.isEmpty || reclaiming?.movesInFlight ?? 0 > 0 }

    /// Whether the segment so many places after the active one is free. As the free ones are one
    /// run of the ring, those before it are too – but where damage was found.
    private func isFree(ahead count: Int) -> Bool {
        segments[ring(SegmentNumber(active.rawValue + UInt64(count)))].use == .free
    }
}
