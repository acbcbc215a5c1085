/// Reassembly of values in parts, a few parts at a time.
///
///     the entry's record ─▶ list ─▶ part · part · … eight at a time ─▶ value ─▶ found
///                                        │ in the tail: copied at once
extension DiskTier {
    /// Requests parts, and copies those in the tail, until enough reads are in flight.
    mutating func assemble(
        _ ticket: DiskTicket, into commands: inout [DiskCommand], news: inout [DiskNews]
    ) {
        while let number = assembling[ticket]?.nextPart(),
            let place = assembling[ticket]?.places[number]
        {
            if let cause = ask(for: place, number, of: ticket, into: &commands) {
                return end(ticket, .failure(cause), into: &commands, news: &news)
            }
        }
        guard assembling[ticket]?.isWhole == true, let record = assembling[ticket]?.record else {
            return
        }
        end(ticket, .success(record), into: &commands, news: &news)
    }

    /// - Returns: why the part is missing.
    private mutating func ask(
        for place: PartPlace, _ number: Int, of ticket: DiskTicket,
        into commands: inout [DiskCommand]
    ) -> NotFoundCause? {
        guard isThere(place) else { return .reclaimed }
        if let bytes = tail.bytes(at: place.offset, of: place.segment) {
            return take(bytes, place, number, of: ticket)
        }
        commands.append(
            .read(
                self.ticket(.part(ticket, number)), byteCount: place.recordBytes,
                at: fileOffset(place.segment, place.offset)))
        return nil
    }

    private func isThere(_ place: PartPlace) -> Bool {
        segments[ring(place.segment)].number == place.segment
            && place.offset + place.recordBytes <= geometry.segmentBytes
    }

    private mutating func take(
        _ bytes: UnsafeRawBufferPointer, _ place: PartPlace, _ number: Int, of ticket: DiskTicket
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
        into commands: inout [DiskCommand], news: inout [DiskNews]
    ) {
        // `nil` if another part was missing. No copy is made, so that the value grows in place.
        guard let place = assembling[ticket]?.places[number] else { return }
        let cause: NotFoundCause?
        switch outcome {
        case .done: preconditionFailure("a read is answered with bytes, or a failure")
        case .failed(let failure): cause = .failed(failure)
        case .read(let bytes):
            cause =
                isThere(place)
                ? bytes.withUnsafeBytes { take($0, place, number, of: ticket) } : .reclaimed
        }
        if let cause { return end(ticket, .failure(cause), into: &commands, news: &news) }
        assemble(ticket, into: &commands, news: &news)
    }

    private mutating func end(
        _ ticket: DiskTicket, _ answer: Result<FoundRecord, NotFoundCause>,
        into commands: inout [DiskCommand], news: inout [DiskNews]
    ) {
        guard let read = assembling.removeValue(forKey: ticket) else { return }
        let answer = isCurrent(read.read) ? answer : .failure(.changed)
        switch read.purpose {
        case .answer: conclude(ticket, read.read, answer, into: &commands, news: &news)
        case .move(let segment): finishMove(read, answer, of: segment, into: &commands)
        }
    }
}
