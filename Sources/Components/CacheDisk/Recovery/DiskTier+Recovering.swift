import CacheModel

extension DiskTier {
    /// Starts to read an earlier process's log. Ends with ``DiskNews/recovered(_:)``,
    /// ``DiskNews/unusable(_:)`` or ``DiskNews/failed(_:)``.
    package mutating func beginRecovery(
        into commands: inout [DiskCommand], news: inout [DiskNews]
    ) {
        precondition(state == .recovering && recovery == nil, "a tier begins once")
        let memory = UnsafeRawBufferPointer(tail.memory)
        guard let tailState = Tail.state(memory, seal, geometry) else {
            return declare(.tailDamaged, news: &news)
        }
        tail.adopt(tailState)
        let runs = Tail.runs(memory, seal, geometry)
        guard runs.damagedCount == 0 else { return declare(.tailDamaged, news: &news) }
        guard !tailState.isUnsafe else { return declare(.removalsMissing, news: &news) }
        recovery = Recovery(tailState, runs: runs.found, ringCount: segments.count)
        for number in 0..<2 {
            ask(
                .checkpoint, geometry.checkpointBytes,
                at: geometry.checkpointOffset(number), into: &commands)
        }
        for ring in segments.indices {
            ask(
                .header(ring: ring), DiskSegmentHeader.bytes + WithdrawalMark.bytes,
                at: geometry.segmentsOffset + ring * geometry.segmentBytes, into: &commands)
        }
    }

    /// Declares the existing log unusable; also for later processes, as it lacks this one's
    /// removals.
    private mutating func declare(_ cause: UnusableCause, news: inout [DiskNews]) {
        if tail.state.counter > 0 { tail.say { $0.isUnsafe = true } }
        recovery = nil
        recoveryWork = .nothing
        index.removeAll()
        state = .unusable(cause)
        news.append(.unusable(cause))
    }

    private mutating func ask(
        _ read: RecoveryRead, _ byteCount: Int, at offset: Int, into commands: inout [DiskCommand]
    ) {
        recovery?.awaited += 1
        commands.append(.read(ticket(.recovery(read)), byteCount: byteCount, at: offset))
    }

    mutating func put(_ bytes: [UInt8], at offset: Int, into commands: inout [DiskCommand]) {
        recovery?.awaited += 1
        statistics.writtenBytes += UInt64(bytes.count)
        commands.append(.write(ticket(.recovery(.write)), .owned(bytes), at: offset))
    }

    mutating func finishRecoveryRead(
        _ read: RecoveryRead, _ outcome: DiskCompletion.Outcome,
        into commands: inout [DiskCommand], news: inout [DiskNews]
    ) {
        // The last writes complete when there is nothing left to recover.
        if case .write = read, case .failed(let failure) = outcome {
            return giveUp(failure, news: &news)
        }
        guard recovery != nil else { return }
        recovery?.awaited -= 1
        var bytes: [UInt8]?
        if case .read(let found) = outcome { bytes = found }
        switch read {
        case .checkpoint:
            if let found = bytes.flatMap({ Checkpoint($0, seal) }) {
                recovery?.checkpoints.append(found)
            }
        case .header(let ring):
            takeHead(bytes ?? [], of: ring)
        case .lastBlock: return readFooter(bytes ?? [], into: &commands)
        case .footer: return beginEntries(bytes ?? [], into: &commands)
        case .records: return beginRecords(bytes, into: &commands)
        case .write: break
        }
        goOn(into: &commands, news: &news)
    }

    /// Handles the first bytes of a place; empty if they could not be read.
    private mutating func takeHead(_ bytes: [UInt8], of ring: Int) {
        let seal = seal
        bytes.withUnsafeBytes { bytes in
            recovery?.headers[ring] = DiskSegmentHeader(bytes, seal)
            if WithdrawalMark(bytes, at: ring, seal) != nil { recovery?.marked.append(ring) }
        }
    }

    /// Starts the next step when all commands of this one are completed.
    private mutating func goOn(into commands: inout [DiskCommand], news: inout [DiskNews]) {
        guard let recovery, recovery.awaited == 0 else { return }
        switch recovery.step {
        case .heads:
            guard let newest = recovery.checkpoints.map(\.counter).max() else {
                return declare(.noCheckpoint, news: &news)
            }
            checkpointCounter = newest
            self.recovery?.step = .runs
            let ring = space.ring
            adoptMarks(recovery.marked) { recovery.hasSegment(at: $0, in: ring) }
            putRuns(recovery, into: &commands)
            goOn(into: &commands, news: &news)
        case .runs:
            self.recovery?.step = .segments
            let oldest = recovery.tailState.oldest
            let first = space.ring.contains(oldest) ? oldest : next(after: oldest)
            self.recovery?.segment = first
            readSegment(into: &commands, news: &news)
        case .segments: break
        }
    }

    /// Writes the tail's runs to their segments: rewriting one that is already there does not
    /// change it.
    private mutating func putRuns(_ recovery: Recovery, into commands: inout [DiskCommand]) {
        let (oldest, newest) = (recovery.tailState.oldest, recovery.tailState.newest)
        guard newest >= oldest else { return }
        if recovery.headers[ring(newest)]?.number != newest {
            let header = DiskSegmentHeader(
                number: newest, began: now, previousEnd: recovery.tailState.previousEnd)
            put(header.encoded(seal), at: fileOffset(newest, 0), into: &commands)
        }
        for run in recovery.runs where run.segment >= oldest && run.segment <= newest {
            guard !run.bytes.isEmpty else { continue }
            put(run.bytes, at: fileOffset(run.segment, run.start), into: &commands)
        }
    }

    // MARK: Segments

    /// Reads the next segment: its footer, or its records if it was not sealed.
    mutating func readSegment(
        into commands: inout [DiskCommand], news: inout [DiskNews]
    ) {
        guard let recovery else { return }
        let (segment, newest) = (recovery.segment, recovery.tailState.newest)
        guard segment <= newest, newest != .none else { return finishRecovery(into: &commands) }
        segments[ring(segment)] = SegmentState(use: .sealed, number: segment)
        segments[ring(segment)].isSettled = true
        self.recovery?.segmentCount += 1
        if segment == newest { return readRecords(into: &commands) }
        ask(
            .lastBlock, SegmentFooter.lastBlockBytes,
            at: fileOffset(segment, geometry.segmentBytes - SegmentFooter.lastBlockBytes),
            into: &commands)
    }

    private mutating func readFooter(_ block: [UInt8], into commands: inout [DiskCommand]) {
        guard let segment = recovery?.segment else { return }
        let count = block.withUnsafeBytes {
            SegmentFooter.count($0, segment, segmentBytes: geometry.segmentBytes)
        }
        guard let count else { return readRecords(into: &commands) }
        let bytes = SegmentFooter.bytes(count)
        ask(
            .footer, bytes, at: fileOffset(segment, geometry.segmentBytes - bytes),
            into: &commands)
    }

    private mutating func beginEntries(_ bytes: [UInt8], into commands: inout [DiskCommand]) {
        guard let segment = recovery?.segment, let end = footerEnd(bytes, of: segment) else {
            return readRecords(into: &commands)
        }
        let count = (bytes.count - SegmentFooter.lastBlockBytes) / SegmentFooter.entryBytes
        recoveryWork = .entries(bytes, cursor: 0, count: count, end: end)
    }

    private func footerEnd(_ bytes: [UInt8], of segment: SegmentNumber) -> Int? {
        bytes.withUnsafeBytes {
            SegmentFooter.end($0, segment, seal: seal, segmentBytes: geometry.segmentBytes)
        }
    }

    /// The known end of the segment's records.
    func knownEnd(_ recovery: Recovery) -> Int? {
        let (segment, newest) = (recovery.segment, recovery.tailState.newest)
        if segment == newest {
            let ends = recovery.runs.filter { $0.segment == segment }.map(\.end)
            return max(recovery.tailState.settledEnd, ends.max() ?? 0)
        }
        let next = next(after: segment)
        if next == newest { return recovery.tailState.previousEnd }
        let header = recovery.headers[ring(next)]
        return header?.number == next ? header?.previousEnd : nil
    }

    private mutating func readRecords(into commands: inout [DiskCommand]) {
        guard let recovery else { return }
        let from = DiskSegmentHeader.bytes
        guard let end = knownEnd(recovery), end >= from, end <= geometry.segmentBytes else {
            // Its removals are unknown.
            recoveryWork = .unknown
            return
        }
        guard end > from else { return beginRecords([], into: &commands) }
        ask(.records, end - from, at: fileOffset(recovery.segment, from), into: &commands)
    }

    private mutating func beginRecords(_ bytes: [UInt8]?, into commands: inout [DiskCommand]) {
        guard let bytes else {
            recoveryWork = .unknown
            return
        }
        recoveryWork = .records(bytes, cursor: 0, end: DiskSegmentHeader.bytes + bytes.count)
    }

    private mutating func finishRecovery(into commands: inout [DiskCommand]) {
        guard let recovery,
            let checkpoint = recovery.checkpoints.max(by: { $0.counter < $1.counter })
        else { return }
        let oldest = tail.state.oldest
        for ring in segments.indices where segments[ring].number < oldest {
            segments[ring] = SegmentState()
            shares.free(ring)
        }
        goOnWithoutWithdrawn(into: &commands)
        let newest = recovery.tailState.newest
        if newest != .none, newest < oldest { passOver(newest) }
        let end = end
        tail.say { $0.settledEnd = end }
        recovered = RecoveredTier(
            checkpoint: checkpoint,
            obeyed: recovery.tailState.obeyed, entryCount: index.count,
            segmentCount: recovery.segmentCount, damageCount: recovery.damageCount)
        self.recovery = nil
        sayOpen(into: &commands)
    }

    /// Voids the newest segment. Numbers are not reused, so the log continues behind it.
    private mutating func passOver(_ newest: SegmentNumber) {
        segments[ring(newest)] = SegmentState(use: .active, number: newest)
        active = newest
        end = geometry.segmentBytes
    }
}
