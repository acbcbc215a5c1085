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
    package mutating func find(
        _ fingerprint: Fingerprint, into commands: inout [DiskCommand]
    ) -> FindAnswer {
        guard state == .open else { return .absent }
        guard let found = index.find(fingerprint) else { return storingAnswer(fingerprint) }
        let (ring, offset) = place(found.address)
        let segment = segments[ring].number
        if let ticket = reading[fingerprint], let read = answered(by: ticket),
            read.address == found.address, read.segment == segment
        {
            return .reading(ticket)
        }
        let byteCount = found.lengthClass.bytesMax
        if let bytes = tail.bytes(at: offset, of: segment) {
            let read = ReadInFlight(
                fingerprint: fingerprint, address: found.address, segment: segment,
                byteCount: byteCount)
            return resident(bytes, read, into: &commands)
        }
        guard hasReadRoom(byteCount) else {
            statistics.readsShed += 1
            return .shed
        }
        let read = ReadInFlight(
            fingerprint: fingerprint, address: found.address, segment: segment,
            byteCount: byteCount)
        let ticket = beginRead(read, found.lengthClass, .read(read), into: &commands)
        noteReading(ticket, read)
        return .reading(ticket)
    }

    /// Whether a fingerprint may have a record. Starts nothing, and counts nothing.
    ///
    /// - Complexity: O(1).
    package func mayHold(_ fingerprint: Fingerprint) -> Bool {
        guard state == .open else { return false }
        return index.find(fingerprint) != nil
            || storing.contains { $0.fingerprint == fingerprint }
    }

    /// A value still being appended in parts is already the newest of its fingerprint.
    private func storingAnswer(_ fingerprint: Fingerprint) -> FindAnswer {
        let store = storing.first { $0.fingerprint == fingerprint }
        return store.map { .resident($0.record) } ?? .absent
    }

    /// The read with this ticket; `nil` if it is answered already.
    private func answered(by ticket: DiskTicket) -> ReadInFlight? {
        if case .read(let read)? = errands[ticket] { read } else { assembling[ticket]?.read }
    }

    private mutating func resident(
        _ bytes: UnsafeRawBufferPointer, _ read: ReadInFlight, into commands: inout [DiskCommand]
    ) -> FindAnswer {
        let records = RecordReading(seal: seal, segment: read.segment)
        switch records.record(bytes, at: place(read.address).offset) {
        case .entry(_, let length):
            index.markUsed(read.fingerprint, at: read.address)
            return .resident(
                FoundRecord(bytes: [UInt8](bytes[0..<length]), fingerprint: read.fingerprint))
        case .divided(_, let list, let length):
            guard hasReadRoom(read.byteCount) else {
                statistics.readsShed += 1
                return .shed
            }
            let ticket = DiskTicket(nextTicket)
            nextTicket += 1
            noteReading(ticket, read)
            assembling[ticket] = DividedRead(read, .answer, head: [UInt8](bytes[0..<length]), list)
            var news: [DiskNews] = []
            assemble(ticket, into: &commands, news: &news)
            return answer(news) ?? .reading(ticket)
        default: return .absent
        }
    }

    /// The immediate answer, as all of it is in the tail.
    private func answer(_ news: [DiskNews]) -> FindAnswer? {
        switch news.first {
        case .found(_, let record): .resident(record)
        case nil: nil
        default: .absent
        }
    }

    private func hasReadRoom(_ byteCount: Int) -> Bool {
        reading.count < DiskLimits.readsMax
            && (readingBytes == 0 || readingBytes + byteCount <= DiskLimits.readBytesMax)
    }

    private mutating func noteReading(_ ticket: DiskTicket, _ read: ReadInFlight) {
        reading[read.fingerprint] = ticket
        readingBytes += read.byteCount
        statistics.reads += 1
    }

    /// Starts to read a record, with the maximum bytes of its class.
    mutating func beginRead(
        _ read: ReadInFlight, _ lengthClass: LengthClass, _ errand: Errand,
        into commands: inout [DiskCommand]
    ) -> DiskTicket {
        let offset = place(read.address).offset
        let ticket = ticket(errand)
        // Of an entry in parts, the record that lists them.
        let byteCount =
            lengthClass > wholeClassMax ? dividedHeadBytesMax : lengthClass.bytesMax
        commands.append(
            .read(
                ticket, byteCount: min(byteCount, geometry.segmentBytes - offset),
                at: fileOffset(read.segment, offset)))
        return ticket
    }

    /// Handles the read of a record, successful or not.
    mutating func finishRead(
        _ ticket: DiskTicket, _ read: ReadInFlight, _ outcome: DiskCompletion.Outcome,
        into commands: inout [DiskCommand], news: inout [DiskNews]
    ) {
        switch proven(read, outcome) {
        case .success(.whole(let record)):
            conclude(ticket, read, .success(record), into: &commands, news: &news)
        case .success(.divided(let head, let list)):
            assembling[ticket] = DividedRead(read, .answer, head: head, list)
            assemble(ticket, into: &commands, news: &news)
        case .failure(let cause):
            conclude(ticket, read, .failure(cause), into: &commands, news: &news)
        }
    }

    /// Reports the result of a read.
    mutating func conclude(
        _ ticket: DiskTicket, _ read: ReadInFlight,
        _ answer: Result<FoundRecord, NotFoundCause>, into commands: inout [DiskCommand],
        news: inout [DiskNews]
    ) {
        if reading[read.fingerprint] == ticket { reading[read.fingerprint] = nil }
        readingBytes -= read.byteCount
        switch answer {
        case .success(let record):
            index.markUsed(read.fingerprint, at: read.address)
            news.append(.found(ticket, record))
        case .failure(let cause):
            noteMissed(read, cause, into: &commands)
            news.append(.notFound(ticket, cause))
        }
    }

    mutating func noteMissed(
        _ read: ReadInFlight, _ cause: NotFoundCause, into commands: inout [DiskCommand]
    ) {
        switch cause {
        case .changed: statistics.voidedReads += 1
        case .reclaimed: drop(read)
        case .damaged:
            statistics.damagedRecords += 1
            // A later read, after a restart, may succeed and return an outdated record.
            remove(read.fingerprint, into: &commands)
        case .failed: break
        }
    }

    /// Whether the record read is still the newest of its fingerprint.
    func isCurrent(_ read: ReadInFlight) -> Bool {
        index.find(read.fingerprint)?.address == read.address
            && segments[place(read.address).ring].number == read.segment
    }

    /// The verified record, if it is still the newest of its fingerprint.
    func proven(
        _ read: ReadInFlight, _ outcome: DiskCompletion.Outcome
    ) -> Result<ProvenRead, NotFoundCause> {
        guard isCurrent(read) else { return .failure(.changed) }
        switch outcome {
        case .done: preconditionFailure("a read is answered with bytes, or a failure")
        case .failed(let failure): return .failure(.failed(failure))
        case .read(let bytes):
            let records = RecordReading(seal: seal, segment: read.segment)
            let offset = place(read.address).offset
            switch bytes.withUnsafeBytes({ records.record($0, at: offset) }) {
            case .entry:
                return .success(.whole(FoundRecord(bytes: bytes, fingerprint: read.fingerprint)))
            case .divided(_, let list, _): return .success(.divided(head: bytes, list))
            default: return .failure(.damaged)
            }
        }
    }

    /// A record that was read and verified.
    enum ProvenRead {
        case whole(FoundRecord)
        case divided(head: [UInt8], PartList)
    }
}

extension NotFoundCause: Error {}
