extension RecordLog {
    /// Appends an entry as the newest of its fingerprint, if there is space.
    ///
    /// - Parameter dividedBytes: the length of the value, if its record lists parts.
    mutating func append(
        _ entry: borrowing DiskEntry, _ fingerprint: Fingerprint, _ account: DiskAccount,
        of dividedBytes: Int? = nil
    ) -> ShedCause? {
        precondition(entry.isInRange, "lengths and counts fit a record")
        let bytes = entry.recordBytes
        guard bytes <= recordBytesMax else { return .tooLarge }
        // Records after a reset must not precede it.
        guard !removals.hasReset else { return .tailFull }
        if let cause = makeRoom(bytes, isRemoval: false) { return cause }
        let (number, offset) = (active, end)
        let writing = RecordWriting(seal: seal, segment: number)
        var (kind, lengthClass) = (RecordKind.entry, LengthClass(bytes: bytes))
        if let dividedBytes { (kind, lengthClass) = (.divided, dividedClass(dividedBytes)) }
        tail.append(bytes) { writing.write(entry, as: kind, into: $0, at: offset) }
        appended(kind, fingerprint, bytes, lengthClass, account)
        noteDead(index.put(fingerprint, at: address(number, offset), lengthClass))
        noteLive(address(number, offset), lengthClass)
        segments[place(of: number)].lasts(until: entry.expires)
        return nil
    }

    /// Counts a client's store.
    mutating func noteStored(_ payloadBytes: Int, _ recordBytes: Int) {
        statistics.payloadBytes += UInt64(payloadBytes)
        cleaning.earn(recordBytes, upTo: geometry.ringBytes)
    }

    /// Counts a re-appended record.
    mutating func noteAgain(_ byteCount: Int) {
        cleaning.credit -= byteCount
        cleaning.newestMove = active
    }

    /// Maximum bytes of a record: it must fit one slot of the tail and one segment.
    var recordBytesMax: Int { Self.recordBytesMax(tail, geometry) }

    static func recordBytesMax(_ tail: Tail, _ geometry: DiskGeometry) -> Int {
        let segment = geometry.segmentBytes - DiskSegmentHeader.bytes - SegmentFooter.bytes(1)
        return min(tail.recordBytesMax, segment - removalReserve(geometry)) & ~7
    }

    /// The class for an entry with a value of that length in parts: no record has it.
    func dividedClass(_ valueBytes: Int) -> LengthClass {
        max(LengthClass(bytes: valueBytes), wholeClassMax.next)
    }

    /// Accounts for a new record.
    ///
    /// - Parameter account: of its namespace, if it counts for one.
    mutating func appended(
        _ kind: RecordKind, _ fingerprint: Fingerprint, _ bytes: Int, _ lengthClass: LengthClass,
        _ account: DiskAccount? = nil
    ) {
        var entry = SegmentFooter.Entry(
            fingerprint: fingerprint, kind: kind, lengthClass: lengthClass, offset: end)
        if let account {
            entry.tag = shares.tag(of: account)
            shares.charge(bytes + SegmentFooter.entryBytes, account)
        }
        footer.append(entry)
        end += bytes
        statistics.appendedRecords += 1
        statistics.appendedBytes += UInt64(bytes)
    }

    // MARK: Room

    /// Bytes that entries leave in the last segment for removals.
    var removalReserve: Int { Self.removalReserve(geometry) }

    private static func removalReserve(_ geometry: DiskGeometry) -> Int {
        geometry.segmentBytes / 32
    }

    /// Makes space for a record at the end of the log: in the tail, and in a segment.
    mutating func makeRoom(_ bytes: Int, isRemoval: Bool) -> ShedCause? {
        let reserve = isRemoval || canBegin ? 0 : removalReserve
        if active == .none || !fits(bytes + reserve) {
            guard canBegin else { return .noSegment }
            beginSegment()
        }
        if tail.roomBytes < bytes {
            handOver()
            guard tail.begin(active, at: end) else { return .tailFull }
        }
        // The last slot is for removals.
        return isRemoval || tail.freeCount > 0 ? nil : .tailFull
    }

    /// Whether it fits the active segment, including its footer.
    func fits(_ bytes: Int) -> Bool {
        end + bytes + SegmentFooter.bytes(footer.count + 1) <= geometry.segmentBytes
    }

    /// Bytes left for one more record in the active segment.
    var segmentRoomBytes: Int {
        let reserve = canBegin ? 0 : removalReserve
        return geometry.segmentBytes - SegmentFooter.bytes(footer.count + 1) - reserve - end
    }

    /// Whether the next segment may begin. Reads in flight from the previous segment at its place
    /// are void by its number.
    var canBegin: Bool { isFree(ahead: 1) }

    /// Seals the active segment, and starts the next.
    mutating func beginSegment() {
        handOver()
        if active != .none { sealActive() }
        let (number, previousEnd) = (next(after: active), end)
        active = number
        end = DiskSegmentHeader.bytes
        segments[place(of: number)] = SegmentState(use: .active, number: number)
        tail.say {
            $0.newest = number
            $0.previousEnd = previousEnd
            $0.settledEnd = DiskSegmentHeader.bytes
        }
        let header = DiskSegmentHeader(number: number, began: now, previousEnd: previousEnd)
        write(header.encoded(seal), at: fileOffset(number, 0))
    }

    private mutating func sealActive() {
        let bytes = footer.encoded(active, end: end, seal: seal)
        write(bytes, at: fileOffset(active, geometry.segmentBytes - bytes.count))
        synchronize(for: .sealed(active))
        let ring = place(of: active)
        segments[ring].use = .sealed
        segments[ring].recordCount = footer.count
        segments[ring].end = end
        shares.seal(ring)
        footer.removeAll()
    }

    /// Starts to write the open slot's bytes to their segment.
    mutating func handOver() {
        guard let run = tail.finish(errands.next) else { return }
        let ticket = ticket(.slot)
        statistics.writtenBytes += UInt64(run.range.count)
        errands.commands.append(
            .write(ticket, .tail(run.range), at: fileOffset(run.segment, run.offset)))
    }
}
