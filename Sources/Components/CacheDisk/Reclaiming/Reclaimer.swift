/// The oldest segment is emptied, a slice at a time, and is then free.
///
///     due ─▶ footer is read ─▶ each of its entries: still the newest of its fingerprint?
///                                 no · expired ─────────────────────────▶ nothing
///                                 the ring is sparse, or it was used ───▶ re-appended
///                                 otherwise ────────────────────────────▶ removed from the index
struct Reclaimer {
    private(set) var current: Reclaim?
    /// Beside ``current`` and not in it: an array that is replaced through the optional is never
    /// released (Swift 6.3.1; found with the address sanitizer).
    private(set) var piece = ReclaimPiece()

    /// Whether older records wait to be re-appended.
    var isMoving: Bool { current.map { $0.keepsAll || $0.movesInFlight > 0 } ?? false }

    /// Whether the oldest segment is to be emptied: because no other is free, because the ring is
    /// sparse, and cleaning it loses nothing, or because a place is to be withdrawn; also while
    /// segments are free, if a namespace's share is full.
    ///
    /// - Complexity: O(1), and O(free segments) if fewer are free than cleaning maintains.
    func isDue(_ log: borrowing RecordLog, _ space: TierSpace) -> Bool {
        guard current == nil, log.isOpen, log.active != .none else { return false }
        // While a place is being withdrawn, no other is to be emptied for the next withdrawal.
        let least = log.freeSegmentsMin + (space.isShrinking(log) && space.move == nil ? 1 : 0)
        let hasFree = log.isFree(ahead: max(least, log.freeSegmentsWanted))
        guard !hasFree || log.shares.isShort, let oldest = log.oldestSealed else { return false }
        let losesNothing = log.isSparse || oldest.isOver(at: log.now)
        return losesNothing || !hasFree && !space.willBeFree(ahead: least, log)
    }

    /// Starts to empty the oldest segment, if it is due.
    mutating func begin(_ log: inout RecordLog, _ space: TierSpace) {
        guard isDue(log, space), let segment = log.oldestSealed else { return }
        let keepsAll = log.isSparse && !segment.isOver(at: log.now)
        log.segments[log.place(of: segment.number)].use = .reclaiming
        // Entries removed from the index without a tombstone must be void from now on. If all are
        // re-appended, or removed by a tombstone, the segment stays valid until that is done.
        if !keepsAll { log.sayOldest(after: segment.number) }
        current = Reclaim(
            segment: segment.number, keepsAll: keepsAll, recordCount: segment.recordCount)
        let bytes = SegmentFooter.bytes(segment.recordCount)
        let offset = log.fileOffset(segment.number, log.geometry.segmentBytes - bytes)
        log.read(bytes, at: offset, for: .reclaimFooter)
    }

    mutating func finishFooter(_ outcome: DiskCompletion.Outcome, _ log: inout RecordLog) {
        guard var reclaim = current, reclaim.footer == nil else { return }
        if case .read(let bytes) = outcome, log.footerEnd(bytes, of: reclaim.segment) != nil {
            reclaim.footer = bytes
        } else {
            log.statistics.damagedRecords += 1
            log.sayOldest(after: reclaim.segment)
            log.dropAll(in: reclaim.segment)
            reclaim.footer = []
            reclaim.recordCount = 0
        }
        current = reclaim
    }

    /// Whether emptying the segment can make progress now.
    func canGoOn(_ log: borrowing RecordLog) -> Bool {
        guard let reclaim = current, reclaim.footer != nil else { return false }
        return reclaim.cursor < reclaim.recordCount && !reclaim.isReading
            && reclaim.movesInFlight < DiskLimits.movesMax
            && (reclaim.roomAwaited == 0 || Self.canMoveNow(reclaim.roomAwaited, log))
    }

    /// Empties a part of the segment.
    mutating func slice(_ log: inout RecordLog) {
        guard let footer = current?.footer else { return }
        var looked = 0
        footer.withUnsafeBytes { bytes in
            while looked < DiskLimits.entriesPerSlice, canGoOn(log), let reclaim = current {
                looked += 1
                if let entry = SegmentFooter.entry(bytes, reclaim.cursor),
                    !letGo(entry, reclaim, &log)
                {
                    return
                }
                current?.cursor += 1
            }
        }
        finish(&log)
    }

    /// - Returns: whether that is done; else it waits, and is called again.
    private mutating func letGo(
        _ entry: SegmentFooter.Entry, _ reclaim: Reclaim, _ log: inout RecordLog
    ) -> Bool {
        switch entry.kind {
        case .entry, .divided: return letGoEntry(entry, reclaim, &log)
        case .part: letGoPart(entry, reclaim, &log)
        case .tombstone, .reset: break
        }
        return true
    }

    /// Removes an entry from the index, or re-appends it.
    private mutating func letGoEntry(
        _ entry: SegmentFooter.Entry, _ reclaim: Reclaim, _ log: inout RecordLog
    ) -> Bool {
        let address = log.address(reclaim.segment, entry.offset)
        guard let found = log.index.find(entry.fingerprint), found.address == address else {
            return true
        }
        // Removed from the index when it is stored again, or cannot be.
        if reclaim.assembling.contains(entry.fingerprint) { return true }
        // Earlier parts of a value in parts have been reclaimed.
        guard entry.kind == .entry,
            reclaim.keepsAll || found.isUsed && Self.canMove(entry.lengthClass, reclaim, log)
        else {
            letGo(entry.fingerprint, at: address, reclaim.keepsAll, &log)
            return true
        }
        return move(entry, reclaim, &log)
    }

    /// Removes a record of the segment from the index.
    ///
    /// - Parameter isBelieved: whether a restart would still use the segment.
    private mutating func letGo(
        _ fingerprint: Fingerprint, at address: RecordAddress, _ isBelieved: Bool,
        _ log: inout RecordLog
    ) {
        guard log.index.find(fingerprint)?.address == address else { return }
        if isBelieved {
            if log.remove(fingerprint) { end() }
        } else {
            log.drop(fingerprint, at: address)
        }
    }

    private mutating func finish(_ log: inout RecordLog) {
        guard let reclaim = current, reclaim.footer != nil,
            reclaim.cursor == reclaim.recordCount, reclaim.movesInFlight == 0
        else { return }
        log.sayOldest(after: reclaim.segment)
        end()
        let place = log.place(of: reclaim.segment)
        log.segments[place].use = .free
        log.shares.free(place)
        log.statistics.reclaimedSegments += 1
    }

    mutating func end() { self = Reclaimer() }

    // MARK: Records are re-appended

    //     record ─▶ in the piece that was read last? ──no──▶ the piece is read that begins with it
    //                  │ yes
    //                  ▼
    //               space in the log? ──no──▶ it waits; without a free segment, it is lost
    //                  │ yes
    //                  ▼
    //               verified, not expired, within its share ─▶ appended

    /// - Returns: whether that is done; else it waits for a piece or for space, and is called
    ///   again.
    private mutating func move(
        _ entry: SegmentFooter.Entry, _ reclaim: Reclaim, _ log: inout RecordLog
    ) -> Bool {
        let records = log.segments[log.place(of: reclaim.segment)].end
        let needed = entry.offset..<min(entry.offset + entry.lengthClass.bytesMax, records)
        guard piece.range.contains(needed) else {
            readPiece(needed, upTo: records, of: reclaim.segment, &log)
            return false
        }
        guard Self.canMoveNow(needed.count, log) else {
            current?.roomAwaited = needed.count
            return false
        }
        current?.roomAwaited = 0
        appendAgain(entry, reclaim, &log)
        return true
    }

    /// Whether a record of so many bytes need not wait: there is space, or will not be.
    private static func canMoveNow(_ bytes: Int, _ log: borrowing RecordLog) -> Bool {
        log.canAppend(bytes) || !log.hasSegment(for: bytes)
    }

    /// Whether re-appending it is not too much for the ring.
    private static func canMove(
        _ lengthClass: LengthClass, _ reclaim: Reclaim, _ log: borrowing RecordLog
    ) -> Bool {
        let share = reclaim.keepsAll ? 1 : log.cleaning.movedShareMax
        return reclaim.movedBytes + lengthClass.bytesMax
            <= Int(Double(log.geometry.segmentBytes) * share)
    }

    /// Re-appends it. If it has expired, or cannot be verified, it is removed from the index.
    private mutating func appendAgain(
        _ entry: SegmentFooter.Entry, _ reclaim: Reclaim, _ log: inout RecordLog
    ) {
        let records = RecordReading(seal: log.seal, segment: reclaim.segment)
        let address = log.address(reclaim.segment, entry.offset)
        let piece = piece
        piece.bytes(at: entry.offset) { bytes in
            guard case .entry(let old, let byteCount)? = records.record(bytes, at: entry.offset)
            else {
                log.statistics.damagedRecords += 1
                return letGo(entry.fingerprint, at: address, reclaim.keepsAll, &log)
            }
            // An expired entry stays expired, also after a restart.
            if old.isOver(at: log.now) {
                return letGo(entry.fingerprint, at: address, false, &log)
            }
            let account = log.account(of: old.namespace)
            let ring = log.place(of: reclaim.segment)
            let taken = byteCount + SegmentFooter.entryBytes
            guard log.shares.mayMove(taken, leaving: taken, account, from: ring),
                log.append(old, entry.fingerprint, account) == nil
            else {
                return letGo(entry.fingerprint, at: address, reclaim.keepsAll, &log)
            }
            log.shares.noteMoved(taken, account, from: ring)
            // As ``canMove(_:_:_:)`` has accounted for it.
            current?.movedBytes += entry.lengthClass.bytesMax
            log.statistics.movedRecords += 1
            log.noteAgain(byteCount)
        }
    }

    private mutating func readPiece(
        _ needed: Range<Int>, upTo end: Int, of segment: SegmentNumber, _ log: inout RecordLog
    ) {
        let usual = needed.lowerBound + DiskLimits.reclaimReadBytes
        let range = needed.lowerBound..<max(needed.upperBound, min(usual, end))
        current?.isReading = true
        let offset = log.fileOffset(segment, range.lowerBound)
        log.read(range.count, at: offset, for: .reclaimPiece(segment, range))
    }

    /// Handles the read of a piece; on failure its records are lost.
    mutating func finishPiece(
        _ segment: SegmentNumber, _ range: Range<Int>, _ outcome: DiskCompletion.Outcome
    ) {
        guard current?.segment == segment else { return }
        current?.isReading = false
        piece = ReclaimPiece(range: range)
        if case .read(let bytes) = outcome { piece.bytes = bytes }
    }

    // MARK: Values in parts

    //     part ─▶ in the index, to be kept? ─▶ the entry's record ─▶ lists this segment?
    //          ─▶ reassembled ─▶ stored

    /// Handles a part that is about to be reclaimed. A value that was requested is stored again; if
    /// the ring is sparse, so is every visible one.
    private mutating func letGoPart(
        _ part: SegmentFooter.Entry, _ reclaim: Reclaim, _ log: inout RecordLog
    ) {
        guard reclaim.divided != part.fingerprint else { return }
        current?.divided = part.fingerprint
        guard let found = log.index.find(part.fingerprint), found.lengthClass > log.wholeClassMax,
            reclaim.keepsAll || found.isUsed, Self.canMove(found.lengthClass, reclaim, log)
        else { return }
        let (ring, offset) = log.place(found.address)
        let read = ReadInFlight(
            fingerprint: part.fingerprint, address: found.address,
            segment: log.segments[ring].number)
        // A record this new lists no part this old.
        guard log.tail.bytes(at: offset, of: read.segment) == nil else { return }
        current?.assembling.insert(read.fingerprint)
        current?.movesInFlight += 1
        current?.movedBytes += found.lengthClass.bytesMax
        _ = log.beginRead(read, found.lengthClass, .moveDivided(read, reclaim.segment))
    }

    /// Handles the reassembled value, or its failure.
    ///
    /// - Parameter ringBytes: of the segments that have space.
    mutating func finishMove(
        _ ended: EndedRead, of segment: SegmentNumber, in ringBytes: Int, _ log: inout RecordLog
    ) {
        var hasExpired = false
        switch ended.answer {
        case .success(let record):
            hasExpired = record.withEntry { $0.isOver(at: log.now) } ?? false
            if !hasExpired { divideAgain(record, ended, in: ringBytes, &log) }
        case .failure(let cause):
            if log.noteMissed(ended.read, cause) { end() }
        }
        endMove(ended.read, of: segment, hasExpired: hasExpired, &log)
    }

    /// Stores it again if it fits its share, and there is space.
    private mutating func divideAgain(
        _ record: FoundRecord, _ ended: EndedRead, in ringBytes: Int, _ log: inout RecordLog
    ) {
        guard case .move(let segment) = ended.purpose else { return }
        let fingerprint = ended.read.fingerprint
        _ = record.withEntry { entry in
            let account = log.account(of: entry.namespace)
            let ring = log.place(of: segment)
            let bytes = log.shareBytesMax(of: entry)
            guard log.shares.mayMove(bytes, leaving: ended.partBytes, account, from: ring),
                log.canDivide(entry, in: ringBytes)
            else { return }
            if log.remove(fingerprint) { end() }
            guard log.divide(entry, fingerprint, account, isAgain: true) else { return }
            log.shares.noteMoved(ended.partBytes, account, from: ring)
            log.statistics.movedRecords += 1
        }
    }

    /// The value is stored again, or removed from the index if its entry's record is in that
    /// segment.
    mutating func endMove(
        _ read: ReadInFlight, of segment: SegmentNumber, hasExpired: Bool = false,
        _ log: inout RecordLog
    ) {
        if read.segment == segment, log.isCurrent(read) {
            // An expired entry stays expired after a restart.
            let isBelieved = !hasExpired && current?.keepsAll ?? false
            letGo(read.fingerprint, at: read.address, isBelieved, &log)
        }
        if current?.segment == segment {
            current?.assembling.remove(read.fingerprint)
            current?.movesInFlight -= 1
        }
        finish(&log)
    }
}

/// The segment being emptied.
struct Reclaim {
    let segment: SegmentNumber
    /// Whether every visible entry in it is re-appended, used or not.
    let keepsAll: Bool
    /// `nil` until it is read.
    var footer: [UInt8]?
    var recordCount = 0
    /// The next entry of the footer.
    var cursor = 0
    /// Whether a piece of the segment is being read, to re-append its records.
    var isReading = false
    /// Bytes that the next re-append waits for; 0 for none.
    var roomAwaited = 0
    /// Values in parts being reassembled, to be stored again.
    var movesInFlight = 0
    /// Re-appended bytes, rounded up to length classes.
    var movedBytes = 0
    /// The fingerprint of the value in parts that was last inspected.
    var divided: Fingerprint?
    /// Fingerprints of the values being reassembled, to be stored again.
    var assembling: Set<Fingerprint> = []
}

/// The piece read last of a segment being emptied: its records are re-appended one after the other.
struct ReclaimPiece {
    /// In the segment.
    var range = 0..<0
    /// Bytes of that range; empty if it could not be read.
    var bytes: [UInt8] = []

    /// The bytes read from there on; empty if there are none.
    func bytes(at offset: Int, _ body: (UnsafeRawBufferPointer) -> Void) {
        let from = offset - range.lowerBound
        bytes.withUnsafeBytes {
            body(UnsafeRawBufferPointer(rebasing: $0[min(from, $0.count)...]))
        }
    }
}
