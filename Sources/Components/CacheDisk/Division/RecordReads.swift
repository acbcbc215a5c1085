/// A read that ended, with its verified record if there is one.
struct EndedRead {
    let ticket: DiskTicket
    let read: ReadInFlight
    var purpose = DividedRead.Purpose.answer
    /// Of its value, in the segment that is reclaimed, if it is stored again.
    var partBytes = 0
    let answer: Result<FoundRecord, NotFoundCause>
}

/// Reads of records, and reassembly of values in parts, a few parts at a time.
///
///     the entry's record ─▶ list ─▶ part · part · … eight at a time ─▶ value ─▶ found
///                                        │ in the tail: copied at once
struct RecordReads {
    /// By fingerprint, so that lookups share them.
    private var tickets: [Fingerprint: DiskTicket] = [:]
    /// Bytes of these reads.
    private(set) var byteCount = 0
    /// Values in parts being reassembled, by the ticket of their read.
    private var assembling: [DiskTicket: DividedRead] = [:]

    /// The read of this record that is in flight.
    func ticket(of record: ReadInFlight, _ errands: ErrandTable) -> DiskTicket? {
        guard let ticket = tickets[record.fingerprint] else { return nil }
        let read: ReadInFlight?
        if case .read(let found)? = errands[ticket] {
            read = found
        } else {
            read = assembling[ticket]?.read
        }
        // `nil` if it is answered already.
        guard read?.address == record.address, read?.segment == record.segment else { return nil }
        return ticket
    }

    func hasRoom(for bytes: Int) -> Bool {
        tickets.count < DiskLimits.readsMax
            && (byteCount == 0 || byteCount + bytes <= DiskLimits.readBytesMax)
    }

    mutating func note(_ ticket: DiskTicket, _ read: ReadInFlight) {
        tickets[read.fingerprint] = ticket
        byteCount += read.byteCount
    }

    /// A read is about to be answered.
    mutating func remove(_ ticket: DiskTicket, _ read: ReadInFlight) {
        if tickets[read.fingerprint] == ticket { tickets[read.fingerprint] = nil }
        byteCount -= read.byteCount
    }

    /// Handles the read of a record, successful or not.
    ///
    /// - Returns: `nil` if its parts are being read.
    mutating func finish(
        _ ticket: DiskTicket, _ read: ReadInFlight, _ outcome: DiskCompletion.Outcome,
        _ log: inout RecordLog
    ) -> EndedRead? {
        switch log.proven(read, outcome) {
        case .success(.whole(let record)):
            return EndedRead(ticket: ticket, read: read, answer: .success(record))
        case .success(.divided(let head, let list)):
            let divided = DividedRead(read, .answer, head: head, list)
            return assemble(divided, ticket, &log)
        case .failure(let cause):
            return EndedRead(ticket: ticket, read: read, answer: .failure(cause))
        }
    }

    // MARK: Values in parts

    /// Begins to reassemble a value.
    ///
    /// - Returns: its end, if all parts are in the tail, or one is missing.
    mutating func assemble(
        _ read: consuming DividedRead, _ ticket: DiskTicket, _ log: inout RecordLog
    ) -> EndedRead? {
        assembling[ticket] = read
        return goOn(ticket, &log)
    }

    /// Requests parts, and copies those in the tail, until enough reads are in flight.
    private mutating func goOn(_ ticket: DiskTicket, _ log: inout RecordLog) -> EndedRead? {
        while let number = assembling[ticket]?.nextPart(),
            let place = assembling[ticket]?.places[number]
        {
            if let cause = ask(for: place, number, of: ticket, &log) {
                return end(ticket, .failure(cause), log)
            }
        }
        guard assembling[ticket]?.isWhole == true, let record = assembling[ticket]?.record else {
            return nil
        }
        return end(ticket, .success(record), log)
    }

    /// - Returns: why the part is missing.
    private mutating func ask(
        for place: PartPlace, _ number: Int, of ticket: DiskTicket, _ log: inout RecordLog
    ) -> NotFoundCause? {
        guard log.isThere(place) else { return .reclaimed }
        if let bytes = log.tail.bytes(at: place.offset, of: place.segment) {
            return take(bytes, place, number, of: ticket, log.seal)
        }
        let offset = log.fileOffset(place.segment, place.offset)
        log.read(place.recordBytes, at: offset, for: .part(ticket, number))
        return nil
    }

    private mutating func take(
        _ bytes: UnsafeRawBufferPointer, _ place: PartPlace, _ number: Int, of ticket: DiskTicket,
        _ seal: RecordSeal
    ) -> NotFoundCause? {
        let records = RecordReading(seal: seal, segment: place.segment)
        guard case .part(_, _, let value, _)? = records.record(bytes, at: place.offset),
            value.count == place.byteCount
        else { return .damaged }
        assembling[ticket]?.take(value, number)
        return nil
    }

    /// Handles the read of a part, successful or not.
    mutating func finishPart(
        _ ticket: DiskTicket, _ number: Int, _ outcome: DiskCompletion.Outcome,
        _ log: inout RecordLog
    ) -> EndedRead? {
        // `nil` if another part was missing. No copy is made, so that the value grows in place.
        guard let place = assembling[ticket]?.places[number] else { return nil }
        let cause: NotFoundCause?
        switch outcome {
        case .done: preconditionFailure("a read is answered with bytes, or a failure")
        case .failed(let failure): cause = .failed(failure)
        case .read(let bytes):
            let seal = log.seal
            cause =
                log.isThere(place)
                ? bytes.withUnsafeBytes { take($0, place, number, of: ticket, seal) } : .reclaimed
        }
        if let cause { return end(ticket, .failure(cause), log) }
        return goOn(ticket, &log)
    }

    private mutating func end(
        _ ticket: DiskTicket, _ answer: Result<FoundRecord, NotFoundCause>,
        _ log: borrowing RecordLog
    ) -> EndedRead? {
        guard let read = assembling.removeValue(forKey: ticket) else { return nil }
        var partBytes = 0
        if case .move(let segment) = read.purpose { partBytes = read.partBytes(in: segment) }
        return EndedRead(
            ticket: ticket, read: read.read, purpose: read.purpose, partBytes: partBytes,
            answer: log.isCurrent(read.read) ? answer : .failure(.changed))
    }

    /// The tier has given up: values in parts are not reassembled any more.
    mutating func giveUp() { assembling.removeAll() }
}
