/// A value in parts that was requested is stored again when its parts are reclaimed. If the ring is
/// sparse, so is every visible one.
///
///     part ─▶ in the index, to be kept? ─▶ the entry's record ─▶ lists this segment?
///          ─▶ reassembled ─▶ stored
extension DiskTier {
    /// Handles a part that is about to be reclaimed.
    mutating func letGoPart(
        _ part: SegmentFooter.Entry, _ reclaim: Reclaim, into commands: inout [DiskCommand]
    ) {
        guard reclaim.divided != part.fingerprint else { return }
        reclaiming?.divided = part.fingerprint
        guard let found = index.find(part.fingerprint), found.lengthClass > wholeClassMax,
            reclaim.keepsAll || found.isUsed, canMove(found.lengthClass, reclaim)
        else { return }
        let (ring, offset) = place(found.address)
        let read = ReadInFlight(
            fingerprint: part.fingerprint, address: found.address,
            segment: segments[ring].number)
        // A record this new lists no part this old.
        guard tail.bytes(at: offset, of: read.segment) == nil else { return }
        reclaiming?.assembling.insert(read.fingerprint)
        reclaiming?.movesInFlight += 1
        reclaiming?.movedBytes += found.lengthClass.bytesMax
        _ = beginRead(
            read, found.lengthClass, .moveDivided(read, reclaim.segment), into: &commands)
    }

    /// Handles the read of the entry's record.
    mutating func finishMove(
        _ read: ReadInFlight, of segment: SegmentNumber, _ outcome: DiskCompletion.Outcome,
        into commands: inout [DiskCommand], news: inout [DiskNews]
    ) {
        guard case .success(.divided(let head, let list)) = proven(read, outcome),
            list.places.contains(where: { $0.segment == segment })
        else { return endMove(read, of: segment, into: &commands) }
        let ticket = DiskTicket(nextTicket)
        nextTicket += 1
        assembling[ticket] = DividedRead(read, .move(segment), head: head, list)
        assemble(ticket, into: &commands, news: &news)
    }

    /// Handles the reassembled value, or its failure.
    mutating func finishMove(
        _ read: DividedRead, _ answer: Result<FoundRecord, NotFoundCause>,
        of segment: SegmentNumber, into commands: inout [DiskCommand]
    ) {
        var hasExpired = false
        switch answer {
        case .success(let record):
            hasExpired = record.withEntry { isOver($0) } ?? false
            if !hasExpired, divideAgain(record, read, of: segment, into: &commands) {
                statistics.movedRecords += 1
            }
        case .failure(let cause): noteMissed(read.read, cause, into: &commands)
        }
        endMove(read.read, of: segment, hasExpired: hasExpired, into: &commands)
    }

    /// - Returns: whether it is stored again: it fits its share, and there is space.
    private mutating func divideAgain(
        _ record: FoundRecord, _ read: DividedRead, of segment: SegmentNumber,
        into commands: inout [DiskCommand]
    ) -> Bool {
        let fingerprint = read.read.fingerprint
        let partBytes = read.partBytes(in: segment)
        let isStored = record.withEntry { entry in
            let account = self.account(of: entry.namespace)
            let ring = self.ring(segment)
            let bytes = shareBytesMax(of: entry)
            guard shares.mayMove(bytes, leaving: partBytes, account, from: ring),
                divide(entry, fingerprint, account, isAgain: true, into: &commands) == nil
            else { return false }
            shares.noteMoved(partBytes, account, from: ring)
            return true
        }
        return isStored ?? false
    }

    /// The value is stored again, or removed from the index if its entry's record is in that
    /// segment.
    private mutating func endMove(
        _ read: ReadInFlight, of segment: SegmentNumber, hasExpired: Bool = false,
        into commands: inout [DiskCommand]
    ) {
        if read.segment == segment, isCurrent(read) {
            // An expired entry stays expired after a restart.
            let isBelieved = !hasExpired && reclaiming?.keepsAll ?? false
            letGo(read.fingerprint, at: read.address, isBelieved, into: &commands)
        }
        if reclaiming?.segment == segment { reclaiming?.assembling.remove(read.fingerprint) }
        noteMoved(segment)
    }
}
