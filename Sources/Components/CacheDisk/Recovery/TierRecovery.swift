/// The recovery of an earlier process's log: of its records, its index, and the places in use.
struct TierRecovery {
    /// What follows from a completed command, or a slice of work.
    enum Step {
        case goesOn
        /// All segments are in the index, except what is lost.
        case segmentsAreRead
        /// The existing log is not valid.
        case unusable(UnusableCause)
        case failed(DiskFailure)
    }

    private(set) var current: Recovery?
    /// Beside ``current`` and not in it: an array that is replaced through the optional is never
    /// released (Swift 6.3.1; found with the address sanitizer).
    private var work = Recovery.Work.nothing
    /// To be reported once the tier is open.
    private(set) var recovered: RecoveredTier?

    var hasDueWork: Bool {
        if case .nothing = work { false } else { true }
    }

    /// Ends it. Commands that are completed later have no effect.
    ///
    /// - Returns: its result, if there is one.
    mutating func end() -> RecoveredTier? {
        defer { self = TierRecovery() }
        return recovered
    }

    /// Starts to read an earlier process's log.
    mutating func begin(_ log: inout RecordLog) -> Step {
        precondition(current == nil, "a tier begins once")
        let (memory, geometry) = (UnsafeRawBufferPointer(log.tail.memory), log.geometry)
        guard let tailState = Tail.state(memory, log.seal, geometry) else {
            return .unusable(.tailDamaged)
        }
        log.tail.adopt(tailState)
        let runs = Tail.runs(memory, log.seal, geometry)
        guard runs.damagedCount == 0 else { return .unusable(.tailDamaged) }
        guard !tailState.isUnsafe else { return .unusable(.removalsMissing) }
        current = Recovery(tailState, runs: runs.found, ringCount: geometry.segmentCount)
        for number in 0..<2 {
            ask(
                .checkpoint, geometry.checkpointBytes,
                at: geometry.checkpointOffset(number), log: &log)
        }
        for ring in 0..<geometry.segmentCount {
            ask(
                .header(ring: ring), DiskSegmentHeader.bytes + WithdrawalMark.bytes,
                at: geometry.segmentsOffset + ring * geometry.segmentBytes, log: &log)
        }
        return .goesOn
    }

    private mutating func ask(
        _ read: RecoveryRead, _ byteCount: Int, at offset: Int, log: inout RecordLog
    ) {
        current?.awaited += 1
        log.read(byteCount, at: offset, for: .recovery(read))
    }

    private mutating func put(_ bytes: [UInt8], at offset: Int, log: inout RecordLog) {
        current?.awaited += 1
        log.write(bytes, for: .recovery(.write), at: offset)
    }

    /// Handles a completed command.
    mutating func finishRead(
        _ read: RecoveryRead, _ outcome: DiskCompletion.Outcome, _ log: inout RecordLog
    ) -> Step {
        // The last writes complete when there is nothing left to recover.
        if case .write = read, case .failed(let failure) = outcome {
            return .failed(failure)
        }
        guard current != nil else { return .goesOn }
        current?.awaited -= 1
        var bytes: [UInt8]?
        if case .read(let found) = outcome { bytes = found }
        switch read {
        case .checkpoint:
            if let found = bytes.flatMap({ Checkpoint($0, log.seal) }) {
                current?.checkpoints.append(found)
            }
        case .header(let ring):
            takeHead(bytes ?? [], of: ring, log.seal)
        case .lastBlock: readFooter(bytes ?? [], &log)
        case .footer: beginEntries(bytes ?? [], &log)
        case .records: beginRecords(bytes)
        case .write: break
        }
        return goOn(&log)
    }

    /// Handles the first bytes of a place; empty if they could not be read.
    private mutating func takeHead(_ bytes: [UInt8], of ring: Int, _ seal: RecordSeal) {
        bytes.withUnsafeBytes { bytes in
            current?.headers[ring] = DiskSegmentHeader(bytes, seal)
            if WithdrawalMark(bytes, at: ring, seal) != nil { current?.marked.append(ring) }
        }
    }

    /// Starts the next step when all commands of this one are completed.
    private mutating func goOn(_ log: inout RecordLog) -> Step {
        guard let recovery = current, recovery.awaited == 0 else { return .goesOn }
        switch recovery.step {
        case .heads:
            guard !recovery.checkpoints.isEmpty else { return .unusable(.noCheckpoint) }
            current?.step = .runs
            let ring = log.ring
            log.adoptMarks(recovery.marked) { recovery.hasSegment(at: $0, in: ring) }
            putRuns(recovery, &log)
            return goOn(&log)
        case .runs:
            let oldest = recovery.tailState.oldest
            current?.step = .segments
            current?.segment = log.ring.contains(oldest) ? oldest : log.next(after: oldest)
            return readSegment(&log)
        case .segments: return .goesOn
        }
    }

    /// Writes the tail's runs to their segments: rewriting one that is already there does not
    /// change it.
    private mutating func putRuns(_ recovery: Recovery, _ log: inout RecordLog) {
        let (oldest, newest) = (recovery.tailState.oldest, recovery.tailState.newest)
        guard newest >= oldest else { return }
        if recovery.headers[log.place(of: newest)]?.number != newest {
            let header = DiskSegmentHeader(
                number: newest, began: log.now, previousEnd: recovery.tailState.previousEnd)
            put(header.encoded(log.seal), at: log.fileOffset(newest, 0), log: &log)
        }
        for run in recovery.runs where run.segment >= oldest && run.segment <= newest {
            guard !run.bytes.isEmpty else { continue }
            put(run.bytes, at: log.fileOffset(run.segment, run.start), log: &log)
        }
    }

    // MARK: Segments

    /// Reads the next segment: its footer, or its records if it was not sealed.
    private mutating func readSegment(_ log: inout RecordLog) -> Step {
        guard let recovery = current else { return .goesOn }
        let (segment, newest) = (recovery.segment, recovery.tailState.newest)
        guard segment <= newest, newest != .none else { return .segmentsAreRead }
        log.segments[log.place(of: segment)] = SegmentState(use: .sealed, number: segment)
        log.segments[log.place(of: segment)].isSettled = true
        current?.segmentCount += 1
        if segment == newest {
            readRecords(&log)
        } else {
            let block = SegmentFooter.lastBlockBytes
            let offset = log.fileOffset(segment, log.geometry.segmentBytes - block)
            ask(.lastBlock, block, at: offset, log: &log)
        }
        return .goesOn
    }

    private mutating func readFooter(_ block: [UInt8], _ log: inout RecordLog) {
        guard let segment = current?.segment else { return }
        let segmentBytes = log.geometry.segmentBytes
        let count = block.withUnsafeBytes {
            SegmentFooter.count($0, segment, segmentBytes: segmentBytes)
        }
        guard let count else { return readRecords(&log) }
        let bytes = SegmentFooter.bytes(count)
        let offset = log.fileOffset(segment, segmentBytes - bytes)
        ask(.footer, bytes, at: offset, log: &log)
    }

    private mutating func beginEntries(_ bytes: [UInt8], _ log: inout RecordLog) {
        guard let segment = current?.segment, let end = log.footerEnd(bytes, of: segment) else {
            return readRecords(&log)
        }
        let count = (bytes.count - SegmentFooter.lastBlockBytes) / SegmentFooter.entryBytes
        work = .entries(bytes, cursor: 0, count: count, end: end)
    }

    private mutating func readRecords(_ log: inout RecordLog) {
        guard let recovery = current else { return }
        let from = DiskSegmentHeader.bytes
        guard let end = recovery.knownEnd(log), end >= from, end <= log.geometry.segmentBytes
        else {
            // Its removals are unknown.
            work = .unknown
            return
        }
        guard end > from else { return beginRecords([]) }
        let offset = log.fileOffset(recovery.segment, from)
        ask(.records, end - from, at: offset, log: &log)
    }

    private mutating func beginRecords(_ bytes: [UInt8]?) {
        guard let bytes else {
            work = .unknown
            return
        }
        work = .records(bytes, cursor: 0, end: DiskSegmentHeader.bytes + bytes.count)
    }

    /// Does a slice of the work on a segment.
    mutating func slice(_ log: inout RecordLog) -> Step {
        guard let segment = current?.segment else { return .goesOn }
        switch work {
        case .nothing: return .goesOn
        case .entries(let bytes, let cursor, let count, let end):
            guard
                let next = Self.takeEntries(
                    bytes, cursor..<count, upTo: end, in: segment, &log)
            else {
                work = .unknown
                return .goesOn
            }
            log.segments[log.place(of: segment)].recordCount = count
            log.segments[log.place(of: segment)].end = end
            guard next == count else {
                work = .entries(bytes, cursor: next, count: count, end: end)
                return .goesOn
            }
        case .records(let bytes, let cursor, let end):
            guard let next = Self.takeRecords(bytes, from: cursor, in: segment, &log) else {
                work = .unknown
                return .goesOn
            }
            log.segments[log.place(of: segment)].end = end
            guard next >= bytes.count else {
                work = .records(bytes, cursor: next, end: end)
                return .goesOn
            }
            finishScan(segment, &log)
        case .unknown:
            Self.lose(segment, &log)
            current?.damageCount += 1
        }
        work = .nothing
        current?.segment = log.next(after: segment)
        return readSegment(&log)
    }

    /// Writes the missing footer of a segment, unless it is the active one.
    private mutating func finishScan(_ segment: SegmentNumber, _ log: inout RecordLog) {
        let place = log.place(of: segment)
        guard segment != current?.tailState.newest else {
            log.segments[place].use = .active
            log.active = segment
            log.end = log.segments[place].end
            return
        }
        log.segments[place].recordCount = log.footer.count
        log.shares.seal(place)
        let bytes = log.footer.encoded(segment, end: log.segments[place].end, seal: log.seal)
        let offset = log.fileOffset(segment, log.geometry.segmentBytes - bytes.count)
        put(bytes, at: offset, log: &log)
        log.footer.removeAll()
    }

    // MARK: The end

    /// Frees the places of segments that are void.
    func freeVoid(_ log: inout RecordLog) {
        let oldest = log.tail.state.oldest
        for place in log.segments.indices where log.segments[place].number < oldest {
            log.segments[place] = SegmentState()
            log.shares.free(place)
        }
    }

    /// Continues the log behind its newest record.
    mutating func finish(_ log: inout RecordLog) {
        guard let recovery = current,
            let checkpoint = recovery.checkpoints.max(by: { $0.counter < $1.counter })
        else { return }
        let newest = recovery.tailState.newest
        if newest != .none, newest < log.tail.state.oldest {
            // The newest segment is void. Numbers are not reused, so the log continues behind it.
            log.segments[log.place(of: newest)] = SegmentState(use: .active, number: newest)
            log.active = newest
            log.end = log.geometry.segmentBytes
        }
        let end = log.end
        log.tail.say { $0.settledEnd = end }
        recovered = RecoveredTier(
            checkpoint: checkpoint, applied: recovery.tailState.applied,
            entryCount: log.index.count, segmentCount: recovery.segmentCount,
            damageCount: recovery.damageCount)
        current = nil
    }

    /// Whether it is in progress, and how far.
    func progress(_ log: borrowing RecordLog) -> RecoveryProgress? {
        guard let recovery = current else { return nil }
        let (oldest, newest) = (recovery.tailState.oldest, recovery.tailState.newest)
        let count = newest < oldest ? 0 : Int(newest.rawValue - oldest.rawValue) + 1
        return RecoveryProgress(
            segmentCount: min(count, log.ring.count), segmentsRead: recovery.segmentCount,
            entryCount: log.index.count)
    }
}
