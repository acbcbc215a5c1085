/// The records of an earlier process are added to the index, a slice at a time.
extension TierRecovery {
    /// Adds the next entries of a segment's footer.
    ///
    /// - Parameter end: end of the segment's records.
    /// - Returns: the next entry; `nil` if one is impossible.
    static func takeEntries(
        _ bytes: [UInt8], _ numbers: Range<Int>, upTo end: Int, in segment: SegmentNumber,
        _ log: inout RecordLog
    ) -> Int? {
        let from = numbers.lowerBound
        let to = min(numbers.upperBound, from + DiskLimits.entriesPerSlice)
        var run = TagRun(tag: .unknown)
        for number in from..<to {
            if (number - from) % DiskLimits.entriesFetched == 0 {
                fetch(bytes, number..<min(to, number + DiskLimits.entriesFetched), &log.index)
            }
            guard let entry = bytes.withUnsafeBytes({ SegmentFooter.entry($0, number) }) else {
                return nil
            }
            take(entry, segment, &log)
            let next =
                number + 1 < numbers.upperBound
                ? bytes.withUnsafeBytes { SegmentFooter.offset($0, number + 1) } : end
            if entry.tag != run.tag { endRun(&run, entry.tag, in: segment, &log) }
            run.bytes += max(0, next - entry.offset) + SegmentFooter.entryBytes
        }
        endRun(&run, .unknown, in: segment, &log)
        return to
    }

    /// Adjacent records of one namespace.
    private struct TagRun {
        var tag: NamespaceTag
        var bytes = 0
    }

    private static func endRun(
        _ run: inout TagRun, _ next: NamespaceTag, in segment: SegmentNumber,
        _ log: inout RecordLog
    ) {
        log.shares.recover(run.bytes, run.tag, at: log.place(of: segment))
        run = TagRun(tag: next)
    }

    /// Prefetches what processing these entries needs.
    private static func fetch(
        _ bytes: [UInt8], _ numbers: Range<Int>, _ index: inout DiskIndex
    ) {
        bytes.withUnsafeBytes { bytes in
            for number in numbers {
                if let entry = SegmentFooter.entry(bytes, number) { index.fetch(entry.fingerprint) }
            }
        }
    }

    /// - Returns: start of the next record; `nil` if one is missing.
    static func takeRecords(
        _ bytes: [UInt8], from: Int, in segment: SegmentNumber, _ log: inout RecordLog
    ) -> Int? {
        let reading = RecordReading(seal: log.seal, segment: segment)
        let stop = min(bytes.count, from + DiskLimits.scannedBytesPerSlice)
        var cursor = from
        while cursor < stop {
            let offset = DiskSegmentHeader.bytes + cursor
            let taken: Int? = bytes.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[cursor...])
                guard let proven = reading.record(rest, at: offset) else { return nil }
                take(proven, at: offset, segment, &log)
                return proven.bytes
            }
            guard let taken else { return nil }
            cursor += taken
        }
        return cursor
    }

    private static func take(
        _ proven: RecordReading.Proven, at offset: Int, _ segment: SegmentNumber,
        _ log: inout RecordLog
    ) {
        let entry = log.footerEntry(proven, at: offset)
        log.footer.append(entry)
        take(entry, segment, &log)
        let bytes = proven.bytes + SegmentFooter.entryBytes
        switch proven {
        case .entry(let entry, _), .divided(let entry, _, _):
            log.shares.charge(bytes, log.account(of: entry.namespace))
        case .part(_, let tag, _, _):
            log.shares.recover(bytes, tag, at: log.place(of: segment))
        case .tombstone, .reset: break
        }
    }

    private static func take(
        _ entry: SegmentFooter.Entry, _ segment: SegmentNumber, _ log: inout RecordLog
    ) {
        let place = log.place(of: segment)
        // Without a footer, the expiry of its entries is unknown.
        log.segments[place].lasts(until: nil)
        switch entry.kind {
        case .part: log.segments[place].partCount += 1
        case .entry, .divided:
            let address = log.address(segment, entry.offset)
            log.noteDead(log.index.put(entry.fingerprint, at: address, entry.lengthClass))
            log.noteLive(address, entry.lengthClass)
        case .tombstone: log.noteDead(log.index.remove(entry.fingerprint))
        case .reset: log.forgetIndex()
        }
    }

    /// Records are missing here, which may have removed any earlier one. The rest of the segment is
    /// dropped too: a later read of the missing bytes may succeed, and return outdated records.
    static func lose(_ segment: SegmentNumber, _ log: inout RecordLog) {
        log.forgetIndex()
        log.footer.removeAll()
        log.shares.forgetActive()
        let first = log.first(after: segment)
        log.tail.say { $0.oldest = first }
    }
}
