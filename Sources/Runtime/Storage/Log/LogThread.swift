import ByteCoding
import CacheInvalidation
import CacheModel
import Threading

/// The work of the log's thread: letters first, then background work, a piece at a time. That work
/// proves sealed segments of an earlier process, rebuilds their floors, and saves the floors.
struct LogThread: ~Copyable {
    private var writer: LogWriter
    private var verifier: LogVerifier
    private var recall: FloorsRecall?
    private var saving: FloorsSaving?
    private var savingDue: Instant
    /// While appends are refused: the bytes of the last of them, and when the disk is probed.
    private var refusal: (bytes: Int, probeAt: Instant)?
    private let tell: (LogNews) -> Void

    /// - Parameter recall: rebuilds the floors of the records before the start.
    init(
        _ writer: consuming LogWriter, recall: FloorsRecall?, now: Instant,
        tell: @escaping (LogNews) -> Void
    ) {
        verifier = LogVerifier(writer.shelf, faults: writer.options.faults, now: now)
        savingDue = now
        self.writer = writer
        self.recall = recall
        self.tell = tell
        probe(0, now: now)
    }

    /// How long the thread may sleep.
    func patience(at now: Instant) -> Duration? {
        if recall != nil { return .zero }
        var waits = [writer.patience(at: now), verifier.patience(at: now)]
        if saving != nil { waits.append(savingDue.elapsed(since: now)) }
        if let refusal { waits.append(refusal.probeAt.elapsed(since: now)) }
        return waits.compactMap { $0 }.min()
    }

    // MARK: Letters

    /// - Returns: whether the thread goes on.
    mutating func handle(_ letter: LogKeeper.Letter) -> Bool {
        switch letter {
        case .begin(let life, let done):
            report { (writer) throws(LogFileError) in try writer.begin(life) }
            done.fulfil(())
        case .append(let ticket, let batch): append(batch, ticket)
        case .lease(let lease):
            report { (writer) throws(LogFileError) in try writer.note(leaseMilliseconds: lease) }
        case .damage(let damage): tell(.damaged(damage))
        case .save(let floors):
            guard writer.options.sync == .always else { break }
            saving = FloorsSaving(floors, in: writer.directory)
        case .keep(let bytes, let state): keep(bytes, state)
        case .close(let floors):
            report { (writer) throws(LogFileError) in try writer.close() }
            if let floors { saving = FloorsSaving(floors, in: writer.directory) }
            while saving != nil { save() }
            // The thread may outlive the return of `join()` by a moment.
            writer.directory.unlock()
            return false
        }
        return true
    }

    private mutating func append(_ batch: [SealedRecord], _ ticket: LogTicket) {
        do throws(LogFileError) {
            try writer.append(batch)
            refusal = nil
            tell(.ended(LogOutcome(ticket: ticket)))
        } catch {
            let now = MonotonicClock.now
            refusal =
                writer.isHalted
                ? nil : (writer.encodedBytes, now.advanced(by: writer.options.probeInterval))
            tell(.ended(LogOutcome(ticket: ticket, refusal: .storage("\(error)"))))
        }
    }

    /// Finds out whether an append would succeed, and tells if that has changed.
    private mutating func probe(_ byteCount: Int, now: Instant) {
        do throws(LogFileError) {
            try writer.probe(byteCount)
            guard refusal != nil else { return }
            refusal = nil
            tell(.refusing(nil))
        } catch {
            let isNew = refusal == nil
            refusal =
                writer.isHalted
                ? nil : (byteCount, now.advanced(by: writer.options.probeInterval))
            if isNew { tell(.refusing(error)) }
        }
    }

    private mutating func keep(_ bytes: [UInt8], _ state: LogState) {
        do throws(LogFileError) {
            try writer.directory.write(bytes, as: state)
            if state == .slots { try writer.noteSlots() }
            tell(.kept(state, nil, isGone: false))
        } catch {
            // The runs of nodes must not be older than the truth: they are removed.
            tell(.kept(state, error, isGone: state == .nodes && removeNodes()))
        }
    }

    private func removeNodes() -> Bool {
        do throws(LogFileError) {
            try writer.directory.remove(.nodes)
            return true
        } catch {
            return false
        }
    }

    // MARK: Its own time

    /// Does a piece of everything that is due.
    mutating func tick(now: Instant) {
        if let damage = verifier.tick(now: now) { tell(.damaged(damage)) }
        recallFloors()
        if saving != nil, savingDue <= now {
            save()
            savingDue = now.advanced(by: LogFilesLimits.proofRest)
        }
        if let refusal, refusal.probeAt <= now { probe(refusal.bytes, now: now) }
        report { (writer) throws(LogFileError) in try writer.tick(now: now) }
    }

    private mutating func recallFloors() {
        switch recall?.step() {
        case .over(let floors):
            recall = nil
            tell(.floors(floors))
        case .damage(let damage): tell(.damaged(damage))
        case .unfinished, nil: break
        }
    }

    private mutating func save() {
        do throws(LogFileError) {
            if try saving?.step() ?? true { saving = nil }
        } catch {
            saving = nil
            tell(.trouble("what the log has touched could not be saved: \(error)"))
        }
    }

    private mutating func report(_ body: (inout LogWriter) throws(LogFileError) -> Void) {
        do throws(LogFileError) {
            try body(&writer)
        } catch {
            tell(.trouble("\(error)"))
        }
    }
}

/// Writes a floor snapshot beside the log, a piece at a time, so that no append waits long for it.
/// The file gets its name once all of it is synchronized.
struct FloorsSaving {
    private let snapshot: FloorSnapshot
    private let directory: LogDirectory
    private var file: SegmentFile?
    private var offset = 0
    private var page = 0

    init(_ snapshot: FloorSnapshot, in directory: LogDirectory) {
        self.snapshot = snapshot
        self.directory = directory
    }

    /// Writes and synchronizes the next piece.
    ///
    /// - Returns: whether that was the last.
    mutating func step() throws(LogFileError) -> Bool {
        var writer = ByteWriter(capacityBytes: LogFilesLimits.floorsPieceBytes)
        let file: SegmentFile
        if let begun = self.file {
            file = begun
        } else {
            file = try directory.makeFloors()
            self.file = file
            snapshot.encodeHead(into: &writer)
        }
        page = snapshot.encodePages(
            from: page, bytesMax: LogFilesLimits.floorsPieceBytes, into: &writer)
        try file.write(writer.bytes, at: offset)
        try file.synchronize()
        offset += writer.count
        guard page == FloorSnapshot.pageCount else { return false }
        try directory.takeOverFloors()
        return true
    }
}
