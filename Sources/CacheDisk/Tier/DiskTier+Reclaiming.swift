extension DiskTier {
    var isReclaimDue: Bool {
        guard reclaiming == nil, state == .open, active != .none else { return false }
        let free = segments.count { $0.use == .free }
        return free < freeSegmentsMin && oldestSealed.map { segments[$0].isSettled } ?? false
    }

    /// Its place in the ring.
    private var oldestSealed: Int? {
        segments.indices.filter { segments[$0].use == .sealed }
            .min { segments[$0].number < segments[$1].number }
    }

    /// Begins to empty the oldest segment.
    mutating func beginReclaim(into commands: inout [DiskCommand]) {
        guard isReclaimDue, let ring = oldestSealed else { return }
        let segment = segments[ring]
        segments[ring].use = .reclaiming
        // First: what leaves the index without a tombstone must be nothing from now on.
        tail.say { $0.oldest = segment.number.next }
        reclaiming = Reclaim(segment: segment.number, recordCount: segment.recordCount)
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
            dropAll(in: reclaim.segment)
            reclaim.footer = []
            reclaim.recordCount = 0
            reclaiming = reclaim
        }
    }

    private func isFooter(_ bytes: [UInt8], of segment: SegmentNumber) -> Bool {
        let segmentBytes = geometry.segmentBytes
        return bytes.withUnsafeBytes {
            SegmentFooter.end($0, segment, seal: seal, segmentBytes: segmentBytes) != nil
        }
    }

    /// Without its footer a segment is emptied by looking through the whole index.
    private mutating func dropAll(in segment: SegmentNumber) {
        let ring = ring(segment)
        var found: [(Fingerprint, RecordAddress)] = []
        index.forEach { fingerprint, entry in
            if place(entry.address).ring == ring { found.append((fingerprint, entry.address)) }
        }
        for (fingerprint, address) in found {
            _ = index.remove(fingerprint, at: address)
            noteDead(address)
        }
    }

    /// Empties a part of the segment.
    mutating func reclaimSlice(into commands: inout [DiskCommand]) {
        guard let footer = reclaiming?.footer else { return }
        var looked = 0
        footer.withUnsafeBytes { bytes in
            while let reclaim = reclaiming, reclaim.cursor < reclaim.recordCount,
                looked < DiskLimits.entriesPerSlice,
                reclaim.movesInFlight < DiskLimits.movesMax
            {
                looked += 1
                let entry = SegmentFooter.entry(bytes, reclaim.cursor)
                reclaiming?.cursor += 1
                if let entry { letGo(entry, reclaim, into: &commands) }
            }
        }
        finishReclaim()
    }

    private mutating func letGo(
        _ entry: SegmentFooter.Entry, _ reclaim: Reclaim, into commands: inout [DiskCommand]
    ) {
        switch entry.kind {
        case .entry, .divided: letGoEntry(entry, reclaim, into: &commands)
        case .part: letGoPart(entry, reclaim, into: &commands)
        case .tombstone, .reset: break
        }
    }

    /// Removes an entry from the index, or has it read to be appended again.
    private mutating func letGoEntry(
        _ entry: SegmentFooter.Entry, _ reclaim: Reclaim, into commands: inout [DiskCommand]
    ) {
        let address = address(reclaim.segment, entry.offset)
        guard let found = index.find(entry.fingerprint), found.address == address else { return }
        // Leaves the index when it is stored again, or cannot be.
        if reclaim.assembling.contains(entry.fingerprint) { return }
        // Parts of what is divided have gone before.
        guard entry.kind == .entry, found.isUsed, canMove(entry.lengthClass) else {
            _ = index.remove(entry.fingerprint, at: address)
            return noteDead(address)
        }
        let read = ReadInFlight(
            fingerprint: entry.fingerprint, address: address, segment: reclaim.segment)
        reclaiming?.movesInFlight += 1
        reclaiming?.movedBytes += entry.lengthClass.bytesMax
        _ = beginRead(read, entry.lengthClass, .move(read), into: &commands)
    }

    /// Whether so much may be appended again.
    func canMove(_ lengthClass: LengthClass) -> Bool {
        let movedMax = Int(Double(geometry.segmentBytes) * movedShareMax)
        return (reclaiming?.movedBytes ?? 0) + lengthClass.bytesMax <= movedMax
    }

    mutating func noteMoved(_ segment: SegmentNumber) {
        if reclaiming?.segment == segment { reclaiming?.movesInFlight -= 1 }
        finishReclaim()
    }

    /// A record that was used has been read: it is appended again, unless it is not its
    /// fingerprint's any more.
    mutating func finishMove(
        _ read: ReadInFlight, _ outcome: DiskCompletion.Outcome,
        into commands: inout [DiskCommand]
    ) {
        defer { noteMoved(read.segment) }
        switch proven(read, outcome) {
        case .success(.divided): drop(read)
        case .success(.whole(let record)):
            let isMoved = record.withEntry { entry in
                !isOver(entry) && place(entry, read.fingerprint, into: &commands) == nil
            }
            if isMoved == true {
                statistics.movedRecords += 1
            } else {
                drop(read)
            }
        case .failure: drop(read)
        }
    }

    mutating func drop(_ read: ReadInFlight) {
        if index.remove(read.fingerprint, at: read.address).wasThere { noteDead(read.address) }
    }

    func isOver(_ entry: DiskEntry) -> Bool {
        entry.expires.map { $0 <= now } ?? false
    }

    private mutating func finishReclaim() {
        guard let reclaim = reclaiming, reclaim.footer != nil,
            reclaim.cursor == reclaim.recordCount, reclaim.movesInFlight == 0
        else { return }
        reclaiming = nil
        segments[ring(reclaim.segment)].use = .free
        statistics.reclaimedSegments += 1
    }
}
