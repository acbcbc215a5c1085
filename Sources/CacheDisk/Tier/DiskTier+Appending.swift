/// Why an entry was not appended. What the disk held of it before is removed.
package enum ShedCause: Equatable, Sendable {
    case tooLarge
    /// The next segment is still being reclaimed.
    case noSegment
    /// The disk is slower than what is appended.
    case tailFull
    /// The tier has ended, or has given up.
    case notOpen
}

extension DiskTier {
    /// Appends an entry, which then is its fingerprint's.
    ///
    /// When this returns it survives the end of the process, however that comes. Not to be called
    /// before the tier is open.
    ///
    /// - Returns: why it was not appended; `nil` if it was.
    /// - Complexity: O(bytes).
    package mutating func append(
        _ entry: borrowing DiskEntry, _ fingerprint: Fingerprint,
        into commands: inout [DiskCommand]
    ) -> ShedCause? {
        expectBegun()
        guard state == .open else { return .notOpen }
        let cause = place(entry, fingerprint, into: &commands)
        if cause == nil {
            statistics.payloadBytes += UInt64(entry.key.count + entry.value.count)
        } else {
            statistics.storesShed += 1
            remove(fingerprint, into: &commands)
        }
        return cause
    }

    /// Appends it if there is room.
    mutating func place(
        _ entry: borrowing DiskEntry, _ fingerprint: Fingerprint,
        into commands: inout [DiskCommand]
    ) -> ShedCause? {
        precondition(entry.isInRange, "a record expresses only so much")
        let bytes = entry.recordBytes
        guard bytes <= recordBytesMax else { return .tooLarge }
        // What comes after a reset must not lie before it.
        guard !isResetPending else { return .tailFull }
        if let cause = makeRoom(bytes, isRemoval: false, into: &commands) { return cause }
        let (number, offset) = (active, end)
        let writing = RecordWriting(seal: seal, segment: number)
        tail.append(bytes) { writing.write(entry, into: $0, at: offset) }
        appended(.entry, fingerprint, bytes)
        let lengthClass = LengthClass(bytes: bytes)
        noteDead(index.put(fingerprint, at: address(number, offset), lengthClass))
        segments[ring(number)].liveCount += 1
        return nil
    }

    /// Most bytes of a record: it goes through one slot of the tail, and lies in one segment.
    package var recordBytesMax: Int {
        let segment = geometry.segmentBytes - SegmentHeader.bytes - SegmentFooter.bytes(1)
        return min(tail.recordBytesMax, segment - removalReserve) & ~7
    }

    /// The log is longer by one record.
    mutating func appended(_ kind: RecordKind, _ fingerprint: Fingerprint, _ bytes: Int) {
        footer.append(
            SegmentFooter.Entry(
                fingerprint: fingerprint, kind: kind, lengthClass: LengthClass(bytes: bytes),
                offset: end))
        end += bytes
        statistics.appendedRecords += 1
        statistics.appendedBytes += UInt64(bytes)
    }

    // MARK: Room

    /// What entries leave of a segment while there is no next one, for removals.
    var removalReserve: Int { geometry.segmentBytes / 32 }

    /// Makes room for a record at the end of the log: in the tail, and in a segment.
    mutating func makeRoom(
        _ bytes: Int, isRemoval: Bool, into commands: inout [DiskCommand]
    ) -> ShedCause? {
        let reserve = isRemoval || canBegin ? 0 : removalReserve
        if active == .none || !fits(bytes + reserve) {
            guard canBegin else { return .noSegment }
            beginSegment(into: &commands)
        }
        if tail.roomBytes < bytes {
            handOver(into: &commands)
            guard tail.begin(active, at: end) else { return .tailFull }
        }
        // The last slot is for removals.
        return isRemoval || tail.freeCount > 0 ? nil : .tailFull
    }

    /// Whether the active segment has room for it, and for its footer.
    private func fits(_ bytes: Int) -> Bool {
        end + bytes + SegmentFooter.bytes(footer.count + 1) <= geometry.segmentBytes
    }

    /// Whether the next segment may begin. What is still being read from the one that was there is
    /// void by its number.
    var canBegin: Bool { segments[ring(active.next)].use == .free }

    /// Seals the active segment, and begins the next.
    mutating func beginSegment(into commands: inout [DiskCommand]) {
        handOver(into: &commands)
        if active != .none { seal(into: &commands) }
        let (number, previousEnd) = (active.next, end)
        active = number
        end = SegmentHeader.bytes
        segments[ring(number)] = SegmentState(use: .active, number: number)
        tail.say {
            $0.newest = number
            $0.previousEnd = previousEnd
            $0.settledEnd = SegmentHeader.bytes
        }
        let header = SegmentHeader(number: number, began: now, previousEnd: previousEnd)
        write(header.encoded(seal), at: fileOffset(number, 0), into: &commands)
    }

    private mutating func seal(into commands: inout [DiskCommand]) {
        let bytes = footer.encoded(active, end: end, seal: seal)
        write(
            bytes, at: fileOffset(active, geometry.segmentBytes - bytes.count), into: &commands)
        commands.append(.synchronize(ticket(.sealed(active))))
        let ring = ring(active)
        segments[ring].use = .sealed
        segments[ring].recordCount = footer.count
        segments[ring].end = end
        footer.removeAll()
    }

    /// Has the open slot's bytes written to their segment.
    mutating func handOver(into commands: inout [DiskCommand]) {
        let ticket = DiskTicket(nextTicket)
        guard let run = tail.finish(ticket) else { return }
        nextTicket += 1
        errands[ticket] = .slot
        statistics.writtenBytes += UInt64(run.range.count)
        commands.append(
            .write(ticket, .tail(run.range), at: fileOffset(run.segment, run.offset)))
    }
}
