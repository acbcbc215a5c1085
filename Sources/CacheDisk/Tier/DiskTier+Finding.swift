/// What a tier says of a fingerprint at once.
package enum FindAnswer {
    case absent
    /// It is in the tail. The bytes are valid until the tier is told anything else.
    case resident(FoundRecord)
    /// It is being read; the news with this ticket tell. Others may wait for the same one.
    case reading(DiskTicket)
    /// Too much is being read already.
    case shed
}

extension DiskTier {
    /// Looks for the newest record of a fingerprint.
    ///
    /// - Complexity: O(1), and O(bytes) where it is in the tail.
    package mutating func find(
        _ fingerprint: Fingerprint, into commands: inout [DiskCommand]
    ) -> FindAnswer {
        guard state == .open, let found = index.find(fingerprint) else { return .absent }
        let (ring, offset) = place(found.address)
        let segment = segments[ring].number
        if let bytes = tail.bytes(at: offset, of: segment) {
            return resident(bytes, fingerprint, found.address)
        }
        if let ticket = reading[fingerprint], case .read(let read)? = errands[ticket],
            read.address == found.address, read.segment == segment
        {
            return .reading(ticket)
        }
        let byteCount = found.lengthClass.bytesMax
        guard reading.count < DiskLimits.readsMax,
            readingBytes == 0 || readingBytes + byteCount <= DiskLimits.readBytesMax
        else {
            statistics.readsShed += 1
            return .shed
        }
        let read = ReadInFlight(
            fingerprint: fingerprint, address: found.address, segment: segment,
            byteCount: byteCount)
        readingBytes += byteCount
        let ticket = beginRead(read, found.lengthClass, .read(read), into: &commands)
        reading[fingerprint] = ticket
        statistics.reads += 1
        return .reading(ticket)
    }

    private mutating func resident(
        _ bytes: UnsafeRawBufferPointer, _ fingerprint: Fingerprint, _ address: RecordAddress
    ) -> FindAnswer {
        let (ring, offset) = place(address)
        let segment = segments[ring].number
        let reading = RecordReading(seal: seal, segment: segment)
        guard case .entry(_, let length)? = reading.record(bytes, at: offset) else {
            return .absent
        }
        index.markUsed(fingerprint, at: address)
        return .resident(
            FoundRecord(bytes: [UInt8](bytes[0..<length]), fingerprint: fingerprint))
    }

    /// Has a record read, as many bytes as its class may have.
    mutating func beginRead(
        _ read: ReadInFlight, _ lengthClass: LengthClass, _ errand: Errand,
        into commands: inout [DiskCommand]
    ) -> DiskTicket {
        let offset = place(read.address).offset
        let ticket = ticket(errand)
        commands.append(
            .read(
                ticket, byteCount: min(lengthClass.bytesMax, geometry.segmentBytes - offset),
                at: fileOffset(read.segment, offset)))
        return ticket
    }

    /// A record has been read, or has not.
    mutating func finishRead(
        _ ticket: DiskTicket, _ read: ReadInFlight, _ outcome: DiskCompletion.Outcome,
        into commands: inout [DiskCommand], news: inout [DiskNews]
    ) {
        if reading[read.fingerprint] == ticket { reading[read.fingerprint] = nil }
        readingBytes -= read.byteCount
        switch proven(read, outcome) {
        case .success(let record):
            index.markUsed(read.fingerprint, at: read.address)
            news.append(.found(ticket, record))
        case .failure(let cause):
            switch cause {
            case .changed: statistics.voidedReads += 1
            case .damaged:
                statistics.damagedRecords += 1
                // It may be whole when it is read again, after a restart, and be old by then.
                remove(read.fingerprint, into: &commands)
            case .failed: break
            }
            news.append(.notFound(ticket, cause))
        }
    }

    /// What was read, if it is a record and still its fingerprint's.
    func proven(
        _ read: ReadInFlight, _ outcome: DiskCompletion.Outcome
    ) -> Result<FoundRecord, NotFoundCause> {
        let (ring, offset) = place(read.address)
        guard index.find(read.fingerprint)?.address == read.address,
            segments[ring].number == read.segment
        else { return .failure(.changed) }
        switch outcome {
        case .done: preconditionFailure("a read is answered with bytes, or a failure")
        case .failed(let failure): return .failure(.failed(failure))
        case .read(let bytes):
            let reading = RecordReading(seal: seal, segment: read.segment)
            guard case .entry? = bytes.withUnsafeBytes({ reading.record($0, at: offset) }) else {
                return .failure(.damaged)
            }
            return .success(FoundRecord(bytes: bytes, fingerprint: read.fingerprint))
        }
    }
}

extension NotFoundCause: Error {}
