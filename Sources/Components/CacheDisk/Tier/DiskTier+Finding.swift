/// The immediate answer to a lookup.
package enum FindAnswer {
    case absent
    /// It is in the tail. The bytes are valid until the next call of the tier.
    case resident(FoundRecord)
    /// It is being read; the news with this ticket has the result. Lookups of one record share a
    /// read.
    case reading(DiskTicket)
    /// Too many reads are in flight.
    case shed
}

extension DiskTier {
    /// Looks up the newest record of a fingerprint.
    ///
    /// - Complexity: O(1), and O(bytes) if it is in the tail.
    package mutating func find(_ fingerprint: Fingerprint) -> FindAnswer {
        guard state == .open else { return .absent }
        guard let found = log.index.find(fingerprint) else {
            // A value still being appended in parts is already the newest of its fingerprint.
            return log.stores[fingerprint].map { .resident($0.record) } ?? .absent
        }
        let (ring, offset) = log.place(found.address)
        let read = ReadInFlight(
            fingerprint: fingerprint, address: found.address, segment: log.segments[ring].number,
            byteCount: found.lengthClass.bytesMax)
        if let ticket = reads.ticket(of: read, log.errands) { return .reading(ticket) }
        if let bytes = log.tail.bytes(at: offset, of: read.segment) {
            return resident(bytes, read)
        }
        guard mayRead(read) else { return .shed }
        let ticket = log.beginRead(read, found.lengthClass, .read(read))
        reads.note(ticket, read)
        return .reading(ticket)
    }

    private mutating func mayRead(_ read: ReadInFlight) -> Bool {
        let hasRoom = reads.hasRoom(for: read.byteCount)
        if hasRoom { log.statistics.reads += 1 } else { log.statistics.readsShed += 1 }
        return hasRoom
    }

    /// Whether it has a record of this fingerprint, or is appending one: the newest there is.
    ///
    /// - Complexity: O(1).
    package func holds(_ fingerprint: Fingerprint) -> Bool {
        guard state == .open else { return false }
        return log.index.find(fingerprint) != nil || log.stores[fingerprint] != nil
    }

    private mutating func resident(
        _ bytes: UnsafeRawBufferPointer, _ read: ReadInFlight
    ) -> FindAnswer {
        let records = RecordReading(seal: log.seal, segment: read.segment)
        switch records.record(bytes, at: log.place(read.address).offset) {
        case .entry(_, let length):
            log.index.markUsed(read.fingerprint, at: read.address)
            return .resident(
                FoundRecord(bytes: [UInt8](bytes[0..<length]), fingerprint: read.fingerprint))
        case .divided(_, let list, let length):
            guard mayRead(read) else { return .shed }
            let ticket = log.errands.draw()
            reads.note(ticket, read)
            let divided = DividedRead(read, .answer, head: [UInt8](bytes[0..<length]), list)
            guard let ended = reads.assemble(divided, ticket, &log) else {
                return .reading(ticket)
            }
            // All of it is in the tail, or a part is missing.
            guard case .success(let record) = conclude(ended) else {
                return .absent
            }
            return .resident(record)
        default: return .absent
        }
    }

    /// Reports the end of a read, if it ended.
    mutating func finish(_ ended: EndedRead?) {
        guard let ended else { return }
        if case .move(let segment) = ended.purpose {
            return reclaimer.finishMove(ended, of: segment, in: usedRingBytes, &log)
        }
        switch conclude(ended) {
        case .success(let record): news.append(.found(ended.ticket, record))
        case .failure(let cause): news.append(.notFound(ended.ticket, cause))
        }
    }

    private mutating func conclude(_ ended: EndedRead) -> Result<FoundRecord, NotFoundCause> {
        reads.remove(ended.ticket, ended.read)
        switch ended.answer {
        case .success: log.index.markUsed(ended.read.fingerprint, at: ended.read.address)
        case .failure(let cause):
            if log.noteMissed(ended.read, cause) { reclaimer.end() }
        }
        return ended.answer
    }

    /// Handles the read of the record of an entry with parts in a segment that is reclaimed.
    mutating func finishMoveRead(
        _ read: ReadInFlight, of segment: SegmentNumber, _ outcome: DiskCompletion.Outcome
    ) {
        guard case .success(.divided(let head, let list)) = log.proven(read, outcome),
            list.places.contains(where: { $0.segment == segment })
        else { return reclaimer.endMove(read, of: segment, &log) }
        let divided = DividedRead(read, .move(segment), head: head, list)
        let ticket = log.errands.draw()
        finish(reads.assemble(divided, ticket, &log))
    }
}
