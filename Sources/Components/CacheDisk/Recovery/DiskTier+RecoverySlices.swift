/// A segment's records are added to the index, a slice at a time.
extension DiskTier {
    mutating func recoverySlice(into commands: inout [DiskCommand], news: inout [DiskNews]) {
        guard let segment = recovery?.segment else { return }
        switch recoveryWork {
        case .nothing: return
        case .entries(let bytes, let cursor, let count, let end):
            guard let next = takeEntries(bytes, from: cursor, of: count, upTo: end, in: segment)
            else {
                recoveryWork = .unknown
                return
            }
            segments[ring(segment)].recordCount = count
            segments[ring(segment)].end = end
            guard next == count else {
                recoveryWork = .entries(bytes, cursor: next, count: count, end: end)
                return
            }
        case .records(let bytes, let cursor, let end):
            guard let next = takeRecords(bytes, from: cursor, in: segment) else {
                recoveryWork = .unknown
                return
            }
            segments[ring(segment)].end = end
            guard next >= bytes.count else {
                recoveryWork = .records(bytes, cursor: next, end: end)
                return
            }
            finishScan(segment, into: &commands)
        case .unknown: lose(segment)
        }
        recoveryWork = .nothing
        let next = next(after: segment)
        recovery?.segment = next
        readSegment(into: &commands, news: &news)
    }

    /// - Parameter end: end of the segment's records.
    /// - Returns: the next entry; `nil` if one is impossible.
    private mutating func takeEntries(
        _ bytes: [UInt8], from: Int, of count: Int, upTo end: Int, in segment: SegmentNumber
    ) -> Int? {
        let to = min(count, from + DiskLimits.entriesPerSlice)
        var run = TagRun(tag: .unknown)
        for number in from..<to {
            if (number - from) % DiskLimits.entriesFetched == 0 {
                fetch(bytes, number..<min(to, number + DiskLimits.entriesFetched))
            }
            guard let entry = bytes.withUnsafeBytes({ SegmentFooter.entry($0, number) }) else {
                return nil
            }
            take(entry, segment)
            let next =
                number + 1 < count
                ? bytes.withUnsafeBytes { SegmentFooter.offset($0, number + 1) } : end
            if entry.tag != run.tag { endRun(&run, entry.tag, in: segment) }
            run.bytes += max(0, next - entry.offset) + SegmentFooter.entryBytes
        }
        endRun(&run, .unknown, in: segment)
        return to
    }

    /// Adjacent records of one namespace.
    private struct TagRun {
        var tag: NamespaceTag
        var bytes = 0
    }

    private mutating func endRun(
        _ run: inout TagRun, _ next: NamespaceTag, in segment: SegmentNumber
    ) {
        shares.recover(run.bytes, run.tag, at: ring(segment))
        run = TagRun(tag: next)
    }

    /// Prefetches what processing these entries needs.
    private mutating func fetch(_ bytes: [UInt8], _ numbers: Range<Int>) {
        bytes.withUnsafeBytes { bytes in
            for number in numbers {
                if let entry = SegmentFooter.entry(bytes, number) { index.fetch(entry.fingerprint) }
            }
        }
    }

    /// - Returns: start of the next record; `nil` if one is missing.
    private mutating func takeRecords(
        _ bytes: [UInt8], from: Int, in segment: SegmentNumber
    ) -> Int? {
        let reading = RecordReading(seal: seal, segment: segment)
        let stop = min(bytes.count, from + DiskLimits.scannedBytesPerSlice)
        var cursor = from
        while cursor < stop {
            let offset = DiskSegmentHeader.bytes + cursor
            let taken: Int? = bytes.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[cursor...])
                guard let proven = reading.record(rest, at: offset) else { return nil }
                take(proven, at: offset, segment)
                return proven.bytes
            }
            guard let taken else { return nil }
            cursor += taken
        }
        return cursor
    }

    private mutating func take(
        _ proven: RecordReading.Proven, at offset: Int, _ segment: SegmentNumber
    ) {
        let entry = footerEntry(proven, at: offset)
        footer.append(entry)
        take(entry, segment)
        let bytes = proven.bytes + SegmentFooter.entryBytes
        switch proven {
        case .entry(let entry, _), .divided(let entry, _, _):
            shares.charge(bytes, account(of: entry.namespace))
        case .part(_, let tag, _, _): shares.recover(bytes, tag, at: ring(segment))
        case .tombstone, .reset: break
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

    private mutating func take(_ entry: SegmentFooter.Entry, _ segment: SegmentNumber) {
        // Without a footer, the expiry of its entries is unknown.
        segments[ring(segment)].lasts(until: nil)
        switch entry.kind {
        case .part: segments[ring(segment)].partCount += 1
        case .entry, .divided:
            let address = address(segment, entry.offset)
            noteDead(index.put(entry.fingerprint, at: address, entry.lengthClass))
            noteLive(address, entry.lengthClass)
        case .tombstone: noteDead(index.remove(entry.fingerprint))
        case .reset: forgetIndex()
        }
    }

    private mutating func forgetIndex() {
        index.removeAll()
        noteAllDead()
    }

    /// Records are missing here, which may have removed any earlier one. The rest of the segment is
    /// dropped too: a later read of the missing bytes may succeed, and return outdated records.
    private mutating func lose(_ segment: SegmentNumber) {
        forgetIndex()
        footer.removeAll()
        shares.forgetActive()
        recovery?.damageCount += 1
        let first = first(after: segment)
        tail.say { $0.oldest = first }
    }

    /// Writes the missing footer of a segment, unless it is the active one.
    private mutating func finishScan(
        _ segment: SegmentNumber, into commands: inout [DiskCommand]
    ) {
        let ring = ring(segment)
        guard segment != recovery?.tailState.newest else {
            segments[ring].use = .active
            active = segment
            end = segments[ring].end
            return
        }
        segments[ring].recordCount = footer.count
        shares.seal(ring)
        let bytes = footer.encoded(segment, end: segments[ring].end, seal: seal)
        put(
            bytes, at: fileOffset(segment, geometry.segmentBytes - bytes.count),
            into: &commands)
        footer.removeAll()
    }
}
