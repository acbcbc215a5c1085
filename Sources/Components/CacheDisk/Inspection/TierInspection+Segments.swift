/// Inspection of each segment: its footer and its records.
extension TierInspection {
    mutating func beginSegment(at index: Int) {
        guard index < facts.segments.count else { return phase = .over }
        let segment = facts.segments[index]
        look = SegmentInspection(
            index: index, number: segment.number, isActive: segment.use == .active)
        if segment.use == .active { beginScan() }
    }

    mutating func segmentStep() -> Need {
        let end = geometry.segmentBytes
        switch look.step {
        case .lastBlock: return want(end - SegmentFooter.lastBlockBytes..<end)
        case .footer(let count): return want(end - count..<end)
        case .records: return want(DiskSegmentHeader.bytes..<look.end)
        case .entries: entriesSlice()
        case .scan: scanSlice()
        case .done: beginSegment(at: look.index + 1)
        }
        return .turn
    }

    /// - Parameter range: in the segment.
    private mutating func want(_ range: Range<Int>) -> Need {
        let from = geometry.segmentsOffset + segment.ring * geometry.segmentBytes
        readOffset = from + range.lowerBound
        return .read(from + range.lowerBound..<from + range.upperBound)
    }

    private var segment: SegmentFacts { facts.segments[look.index] }

    // MARK: Bytes that were read

    mutating func takeSegment(_ bytes: [UInt8]?) {
        let bytes = bytes.map { overlay.applied(to: $0, at: readOffset) }
        switch look.step {
        case .lastBlock: takeLastBlock(bytes)
        case .footer: takeFooter(bytes)
        case .records:
            look.records = bytes ?? []
            if case .whole? = segment.footer {
                look.step = .entries
            } else {
                look.step = .scan
                if bytes == nil { noteUnreadable() }
            }
        case .entries, .scan, .done: preconditionFailure("nothing was asked for")
        }
    }

    private mutating func takeLastBlock(_ bytes: [UInt8]?) {
        let (number, segmentBytes) = (look.number, geometry.segmentBytes)
        let count = bytes.flatMap { bytes in
            bytes.withUnsafeBytes { SegmentFooter.count($0, number, segmentBytes: segmentBytes) }
        }
        guard let count else {
            facts.segments[look.index].footer = bytes == nil ? .damaged : .missing
            return beginScan()
        }
        look.step = .footer(SegmentFooter.bytes(count))
    }

    private mutating func takeFooter(_ bytes: [UInt8]?) {
        let (number, seal) = (look.number, plan.superblock.seal)
        let segmentBytes = geometry.segmentBytes
        let end = bytes.flatMap { bytes in
            bytes.withUnsafeBytes {
                SegmentFooter.end($0, number, seal: seal, segmentBytes: segmentBytes)
            }
        }
        guard let bytes, let end else {
            facts.segments[look.index].footer = .damaged
            return beginScan()
        }
        facts.segments[look.index].footer = .whole
        facts.segments[look.index].use = .sealed
        look.footer = bytes
        setEnd(end)
        look.step = plan.verifies && end > DiskSegmentHeader.bytes ? .records : .entries
    }

    private mutating func setEnd(_ end: Int) {
        look.end = end
        facts.segments[look.index].tally.bytes = end - DiskSegmentHeader.bytes
    }

    /// Starts the inspection record by record, as a recovery does without a footer.
    private mutating func beginScan() {
        look.footer = []
        guard let end = knownEnd, (DiskSegmentHeader.bytes...geometry.segmentBytes).contains(end)
        else {
            facts.segments[look.index].isEndKnown = false
            look.end = geometry.segmentBytes
            look.step = .records
            return
        }
        setEnd(end)
        look.step = end > DiskSegmentHeader.bytes ? .records : .done
    }

    /// According to the recovery's rule.
    private var knownEnd: Int? {
        guard let state = facts.tail.state else { return nil }
        var recovery = Recovery(state, runs: facts.tail.runs, ringCount: geometry.segmentCount)
        recovery.headers = headers
        recovery.segment = look.number
        return recovery.knownEnd(tier.log)
    }

    private mutating func noteUnreadable() {
        facts.segments[look.index].tally.damaged += 1
        look.step = .done
    }

    // MARK: By the footer

    private mutating func entriesSlice() {
        let (footer, count) = (look.footer, look.entryCount)
        let stop = min(count, look.cursor + DiskLimits.entriesPerSlice)
        footer.withUnsafeBytes { footer in
            for number in look.cursor..<stop {
                let next = number + 1 < count ? SegmentFooter.entry(footer, number + 1) : nil
                note(SegmentFooter.entry(footer, number), endingAt: next?.offset ?? look.end)
            }
        }
        look.cursor = stop
        if stop == count { look.step = .done }
    }

    private mutating func note(_ entry: SegmentFooter.Entry?, endingAt stop: Int) {
        guard let entry, entry.offset < stop else {
            facts.segments[look.index].tally.damaged += 1
            return
        }
        let range = entry.offset..<stop
        guard plan.verifies else { return noteWhole(entry, range, content: nil) }
        let bytes = look.records
        bytes.withUnsafeBytes { bytes in
            let from = range.lowerBound - DiskSegmentHeader.bytes
            let to = range.upperBound - DiskSegmentHeader.bytes
            guard to <= bytes.count,
                let proven = reading.record(
                    UnsafeRawBufferPointer(rebasing: bytes[from..<to]), at: entry.offset),
                proven.bytes == range.count, described(proven, at: entry.offset).isSameRecord(entry)
            else { return noteDamaged(entry, range) }
            noteWhole(entry, range, content: proven.entry)
        }
    }

    // MARK: Record by record

    private mutating func scanSlice() {
        let bytes = look.records
        let stop = min(bytes.count, look.cursor + DiskLimits.scannedBytesPerSlice)
        bytes.withUnsafeBytes { bytes in
            while look.cursor < stop, case .scan = look.step {
                scanRecord(bytes)
            }
        }
        if look.cursor >= bytes.count { look.step = .done }
        if case .done = look.step, !segment.isEndKnown {
            setEnd(DiskSegmentHeader.bytes + look.cursor)
        }
    }

    private mutating func scanRecord(_ bytes: UnsafeRawBufferPointer) {
        let offset = DiskSegmentHeader.bytes + look.cursor
        let rest = UnsafeRawBufferPointer(rebasing: bytes[look.cursor...])
        if let proven = reading.record(rest, at: offset) {
            look.isInDamage = false
            look.cursor += proven.bytes
            noteWhole(
                described(proven, at: offset), offset..<offset + proven.bytes,
                content: proven.entry)
        } else if segment.isEndKnown {
            if !look.isInDamage { facts.segments[look.index].tally.damaged += 1 }
            look.isInDamage = true
            look.cursor += RecordAddress.unitBytes
        } else {
            look.step = .done
        }
    }

    private var reading: RecordReading {
        RecordReading(seal: plan.superblock.seal, segment: look.number)
    }

    private func described(
        _ proven: RecordReading.Proven, at offset: Int
    ) -> SegmentFooter.Entry {
        tier.log.footerEntry(proven, at: offset)
    }
}

extension RecordReading.Proven {
    fileprivate var entry: DiskEntry? {
        switch self {
        case .entry(let entry, _), .divided(let entry, _, _): entry
        case .part, .tombstone, .reset: nil
        }
    }
}

extension SegmentFooter.Entry {
    fileprivate func isSameRecord(_ other: SegmentFooter.Entry) -> Bool {
        kind == other.kind && fingerprint == other.fingerprint
    }
}

/// Progress of the inspection of one segment.
struct SegmentInspection {
    enum Step {
        case lastBlock
        /// So many bytes.
        case footer(Int)
        case records
        /// The bytes read are inspected: by the footer's entries, or record by record.
        case entries
        case scan
        case done
    }

    /// Index in ``TierFacts/segments``.
    let index: Int
    let number: SegmentNumber
    var step: Step
    var footer: [UInt8] = []
    /// From the first record on; empty if they are not read, or could not be.
    var records: [UInt8] = []
    /// Where the records end, in the segment.
    var end = DiskSegmentHeader.bytes
    /// The next entry of the footer, or the next byte of the records.
    var cursor = 0
    /// Whether the bytes before the cursor are damaged.
    var isInDamage = false

    init(index: Int, number: SegmentNumber, isActive: Bool) {
        self.index = index
        self.number = number
        step = isActive ? .records : .lastBlock
    }

    var entryCount: Int {
        max(0, footer.count - SegmentFooter.lastBlockBytes) / SegmentFooter.entryBytes
    }
}
