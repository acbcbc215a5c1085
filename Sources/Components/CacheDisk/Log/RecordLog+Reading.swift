extension RecordLog {
    /// A record that was read and verified.
    enum ProvenRead {
        case whole(FoundRecord)
        case divided(head: [UInt8], PartList)
    }

    /// Starts to read a record, with the maximum bytes of its class.
    mutating func beginRead(
        _ read: ReadInFlight, _ lengthClass: LengthClass, _ errand: Errand
    ) -> DiskTicket {
        let offset = place(read.address).offset
        let ticket = ticket(errand)
        // Of an entry in parts, the record that lists them.
        let byteCount =
            lengthClass > wholeClassMax ? dividedHeadBytesMax : lengthClass.bytesMax
        errands.commands.append(
            .read(
                ticket, byteCount: min(byteCount, geometry.segmentBytes - offset),
                at: fileOffset(read.segment, offset)))
        return ticket
    }

    /// Whether the record read is still the newest of its fingerprint.
    func isCurrent(_ read: ReadInFlight) -> Bool {
        index.find(read.fingerprint)?.address == read.address
            && segments[place(read.address).ring].number == read.segment
    }

    /// Whether a value's part is still in the log.
    func isThere(_ part: PartPlace) -> Bool {
        segments[place(of: part.segment)].number == part.segment
            && part.offset + part.recordBytes <= geometry.segmentBytes
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

    /// End of the segment's records according to its footer; `nil` if that is damaged.
    func footerEnd(_ bytes: [UInt8], of segment: SegmentNumber) -> Int? {
        bytes.withUnsafeBytes {
            SegmentFooter.end($0, segment, seal: seal, segmentBytes: geometry.segmentBytes)
        }
    }

    /// The entry for its segment's footer.
    func footerEntry(
        _ proven: RecordReading.Proven, at offset: Int
    ) -> SegmentFooter.Entry {
        let kind: RecordKind
        let fingerprint: Fingerprint
        var lengthClass = LengthClass(bytes: proven.bytes)
        var tag = NamespaceTag.unknown
        switch proven {
        case .entry(let entry, _):
            let room = hasher.room(of: entry.namespace)
            (kind, tag) = (.entry, NamespaceTag(room: room))
            fingerprint = hasher.fingerprint(of: entry.key, in: room)
        case .divided(let entry, let list, _):
            let room = hasher.room(of: entry.namespace)
            (kind, tag) = (.divided, NamespaceTag(room: room))
            fingerprint = hasher.fingerprint(of: entry.key, in: room)
            lengthClass = dividedClass(list.valueBytes)
        case .part(let part, let namespace, _, _):
            (kind, tag) = (.part, namespace)
            fingerprint = part
        case .tombstone(let removed):
            kind = .tombstone
            fingerprint = removed
        case .reset:
            kind = .reset
            fingerprint = .zero
        }
        return SegmentFooter.Entry(
            fingerprint: fingerprint, kind: kind, lengthClass: lengthClass, offset: offset,
            tag: tag)
    }

    /// A record could not be read.
    ///
    /// - Returns: as ``remove(_:)``.
    mutating func noteMissed(_ read: ReadInFlight, _ cause: NotFoundCause) -> Bool {
        switch cause {
        case .changed: statistics.voidedReads += 1
        case .reclaimed: drop(read.fingerprint, at: read.address)
        case .damaged:
            statistics.damagedRecords += 1
            // A later read, after a restart, may succeed and return an outdated record.
            return remove(read.fingerprint)
        case .failed: break
        }
        return false
    }
}

extension NotFoundCause: Error {}
