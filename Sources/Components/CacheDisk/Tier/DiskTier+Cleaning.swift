/// Records of the segment being emptied are re-appended.
///
///     record ─▶ in the piece that was read last? ──no──▶ the piece is read that begins with it
///                  │ yes
///                  ▼
///               space in the log? ──no──▶ it waits; without a free segment, it is lost
///                  │ yes
///                  ▼
///               verified, not expired, within its share ─▶ appended
extension DiskTier {
    /// - Returns: whether that is done; else it waits for a piece or for space, and is called
    ///   again.
    mutating func move(
        _ entry: SegmentFooter.Entry, _ reclaim: Reclaim, into commands: inout [DiskCommand]
    ) -> Bool {
        let records = segments[ring(reclaim.segment)].end
        let needed = entry.offset..<min(entry.offset + entry.lengthClass.bytesMax, records)
        guard reclaimPiece.range.contains(needed) else {
            readPiece(needed, upTo: records, of: reclaim.segment, into: &commands)
            return false
        }
        guard canMoveNow(needed.count) else {
            reclaiming?.roomAwaited = needed.count
            return false
        }
        reclaiming?.roomAwaited = 0
        appendAgain(entry, reclaim, into: &commands)
        return true
    }

    /// Whether a record of so many bytes need not wait: there is space, or will not be.
    func canMoveNow(_ bytes: Int) -> Bool { canAppend(bytes) || !hasSegment(for: bytes) }

    /// Re-appends it. If it has expired, or cannot be verified, it is removed from the index.
    private mutating func appendAgain(
        _ entry: SegmentFooter.Entry, _ reclaim: Reclaim, into commands: inout [DiskCommand]
    ) {
        let records = RecordReading(seal: seal, segment: reclaim.segment)
        let address = address(reclaim.segment, entry.offset)
        let piece = reclaimPiece
        piece.bytes(at: entry.offset) { bytes in
            guard case .entry(let old, let byteCount)? = records.record(bytes, at: entry.offset)
            else {
                statistics.damagedRecords += 1
                return letGo(entry.fingerprint, at: address, reclaim.keepsAll, into: &commands)
            }
            // An expired entry stays expired, also after a restart.
            if isOver(old) { return letGo(entry.fingerprint, at: address, false, into: &commands) }
            let account = self.account(of: old.namespace)
            let ring = self.ring(reclaim.segment)
            let taken = byteCount + SegmentFooter.entryBytes
            guard shares.mayMove(taken, leaving: taken, account, from: ring),
                place(old, entry.fingerprint, account, into: &commands) == nil
            else {
                return letGo(entry.fingerprint, at: address, reclaim.keepsAll, into: &commands)
            }
            shares.noteMoved(taken, account, from: ring)
            // As ``canMove(_:_:)`` has accounted for it.
            reclaiming?.movedBytes += entry.lengthClass.bytesMax
            statistics.movedRecords += 1
            noteAgain(byteCount)
        }
    }

    /// Counts a re-appended record.
    mutating func noteAgain(_ byteCount: Int) {
        cleaningCredit -= byteCount
        newestMove = active
    }

    private mutating func readPiece(
        _ needed: Range<Int>, upTo end: Int, of segment: SegmentNumber,
        into commands: inout [DiskCommand]
    ) {
        let usual = needed.lowerBound + DiskLimits.reclaimReadBytes
        let range = needed.lowerBound..<max(needed.upperBound, min(usual, end))
        reclaiming?.isReading = true
        commands.append(
            .read(
                ticket(.reclaimPiece(segment, range)), byteCount: range.count,
                at: fileOffset(segment, range.lowerBound)))
    }

    /// Handles the read of a piece; on failure its records are lost.
    mutating func finishReclaimPiece(
        _ segment: SegmentNumber, _ range: Range<Int>, _ outcome: DiskCompletion.Outcome
    ) {
        guard reclaiming?.segment == segment else { return }
        reclaiming?.isReading = false
        reclaimPiece = ReclaimPiece(range: range)
        if case .read(let bytes) = outcome { reclaimPiece.bytes = bytes }
    }
}
