/// The oldest segment is emptied, a slice at a time, and is then free.
///
///     due ─▶ footer is read ─▶ each of its entries: still the newest of its fingerprint?
///                                 no · expired ─────────────────────────▶ nothing
///                                 the ring is sparse, or it was used ───▶ re-appended
///                                 otherwise ────────────────────────────▶ removed from the index
extension DiskTier {
    /// Starts to empty the oldest segment.
    mutating func beginReclaim(into commands: inout [DiskCommand]) {
        guard isReclaimDue, let segment = oldestSealed else { return }
        let keepsAll = isSparse && !segment.isOver(at: now)
        segments[ring(segment.number)].use = .reclaiming
        // Entries removed from the index without a tombstone must be void from now on. If all are
        // re-appended, or removed by a tombstone, the segment stays valid until that is done.
        if !keepsAll { sayOldest(after: segment.number) }
        reclaiming = Reclaim(
            segment: segment.number, keepsAll: keepsAll, recordCount: segment.recordCount)
        let bytes = SegmentFooter.bytes(segment.recordCount)
        commands.append(
            .read(
                ticket(.reclaimFooter), byteCount: bytes,
                at: fileOffset(segment.number, geometry.segmentBytes - bytes)))
    }

    mutating func finishReclaimFooter(_ outcome: DiskCompletion.Outcome) {
        guard var reclaim = reclaiming, reclaim.footer == nil else { return }
        if case .read(let bytes) = outcome, isFooter(bytes, of: reclaim.segment) {
            reclaim.footer = bytes
            reclaiming = reclaim
        } else {
            statistics.damagedRecords += 1
            sayOldest(after: reclaim.segment)
            dropAll(in: reclaim.segment)
            reclaim.footer = []
            reclaim.recordCount = 0
            reclaiming = reclaim
        }
    }

    /// Makes this segment and all earlier ones void.
    private mutating func sayOldest(after number: SegmentNumber) {
        let first = first(after: number)
        tail.say { $0.oldest = max($0.oldest, first) }
    }

    private func isFooter(_ bytes: [UInt8], of segment: SegmentNumber) -> Bool {
        let segmentBytes = geometry.segmentBytes
        return bytes.withUnsafeBytes {
            SegmentFooter.end($0, segment, seal: seal, segmentBytes: segmentBytes) != nil
        }
    }

    /// Without a footer a segment is emptied by a search of the whole index.
    private mutating func dropAll(in segment: SegmentNumber) {
        let ring = ring(segment)
        var found: [(Fingerprint, RecordAddress)] = []
        index.forEach { fingerprint, entry in
            if place(entry.address).ring == ring { found.append((fingerprint, entry.address)) }
        }
        for (fingerprint, address) in found { noteDead(index.remove(fingerprint, at: address)) }
    }

    /// Whether emptying the segment can make progress now.
    var canReclaim: Bool {
        guard let reclaim = reclaiming, reclaim.footer != nil else { return false }
        return reclaim.cursor < reclaim.recordCount && !reclaim.isReading
            && reclaim.movesInFlight < DiskLimits.movesMax
            && (reclaim.roomAwaited == 0 || canMoveNow(reclaim.roomAwaited))
    }

    /// Empties a part of the segment.
    mutating func reclaimSlice(into commands: inout [DiskCommand]) {
        guard let footer = reclaiming?.footer else { return }
        var looked = 0
        footer.withUnsafeBytes { bytes in
            while looked < DiskLimits.entriesPerSlice, canReclaim, let reclaim = reclaiming {
                looked += 1
                if let entry = SegmentFooter.entry(bytes, reclaim.cursor),
                    !letGo(entry, reclaim, into: &commands)
                {
                    return
                }
                reclaiming?.cursor += 1
            }
        }
        finishReclaim()
    }

    /// - Returns: whether that is done; else it waits, and is called again.
    private mutating func letGo(
        _ entry: SegmentFooter.Entry, _ reclaim: Reclaim, into commands: inout [DiskCommand]
    ) -> Bool {
        switch entry.kind {
        case .entry, .divided: return letGoEntry(entry, reclaim, into: &commands)
        case .part: letGoPart(entry, reclaim, into: &commands)
        case .tombstone, .reset: break
        }
        return true
    }

    /// Removes an entry from the index, or re-appends it.
    private mutating func letGoEntry(
        _ entry: SegmentFooter.Entry, _ reclaim: Reclaim, into commands: inout [DiskCommand]
    ) -> Bool {
        let address = address(reclaim.segment, entry.offset)
        guard let found = index.find(entry.fingerprint), found.address == address else {
            return true
        }
        // Removed from the index when it is stored again, or cannot be.
        if reclaim.assembling.contains(entry.fingerprint) { return true }
        // Earlier parts of a value in parts have been reclaimed.
        guard entry.kind == .entry,
            reclaim.keepsAll || found.isUsed && canMove(entry.lengthClass, reclaim)
        else {
            letGo(entry.fingerprint, at: address, reclaim.keepsAll, into: &commands)
            return true
        }
        return move(entry, reclaim, into: &commands)
    }

    /// Removes a record of the segment from the index.
    ///
    /// - Parameter isBelieved: whether a restart would still use the segment.
    mutating func letGo(
        _ fingerprint: Fingerprint, at address: RecordAddress, _ isBelieved: Bool,
        into commands: inout [DiskCommand]
    ) {
        guard index.find(fingerprint)?.address == address else { return }
        if isBelieved {
            remove(fingerprint, into: &commands)
        } else {
            noteDead(index.remove(fingerprint, at: address))
        }
    }

    /// Whether reassembling it is not too much for the ring.
    func canMove(_ lengthClass: LengthClass, _ reclaim: Reclaim) -> Bool {
        let share = reclaim.keepsAll ? 1 : movedShareMax
        return reclaim.movedBytes + lengthClass.bytesMax
            <= Int(Double(geometry.segmentBytes) * share)
    }

    mutating func noteMoved(_ segment: SegmentNumber) {
        if reclaiming?.segment == segment { reclaiming?.movesInFlight -= 1 }
        finishReclaim()
    }

    mutating func drop(_ read: ReadInFlight) {
        noteDead(index.remove(read.fingerprint, at: read.address))
    }

    func isOver(_ entry: DiskEntry) -> Bool {
        entry.expires.map { $0 <= now } ?? false
    }

    private mutating func finishReclaim() {
        guard let reclaim = reclaiming, reclaim.footer != nil,
            reclaim.cursor == reclaim.recordCount, reclaim.movesInFlight == 0
        else { return }
        sayOldest(after: reclaim.segment)
        endReclaim()
        segments[ring(reclaim.segment)].use = .free
        shares.free(ring(reclaim.segment))
        statistics.reclaimedSegments += 1
    }

    mutating func endReclaim() {
        reclaiming = nil
        reclaimPiece = ReclaimPiece()
    }
}
