import ByteCoding
import CacheInvalidation
import CacheModel
import LibC
import Threading

/// The state of the log's thread: the segment that is being written, and all writes.
///
/// A batch lies in one segment, so it is one write and one fsync. A failure before the fsync is
/// undone, and the next append may succeed. After a failed fsync the contents of the disk are
/// unknown, so nothing is written any more.
struct LogWriter: ~Copyable {
    /// An epoch of the log that is to begin: the files on disk belong to an earlier one.
    struct Life {
        let log: LogID
        let base: LogMark
    }

    let directory: LogDirectory
    let options: LogFilesOptions
    let shelf: Guarded<LogShelf>
    private var active: SegmentFile?
    /// How the frames of that segment lie.
    private var form = FrameForm.unsalted
    private var head = LogMark.none
    private var log = LogID.none
    private var usedBytes = 0
    private var reservedBytes = 0
    /// The last mark that is fsynced.
    private var settled = LogMark.none
    private var unsettledSince: Instant?
    private var wanted: Life?
    /// When the beginning is retried, if nothing is appended before.
    private var wantedAgainAt: Instant?
    /// Whether a roll has failed after the next segment may have got its name. A record in this one
    /// would lie beyond where that one begins, and be lost at the next start.
    private var isRollBegun = false
    /// Whether the stamp still says that the log is closed.
    private var isStampDue: Bool
    /// Whether the stamp says nothing of the newest segments.
    private var isStampOld = false
    /// Whether the stamp says that the log has slots, or may.
    private var isStampedForSlots = false
    private var halted: LogFileError?
    private var lease: StampedLease
    private var buffer = ByteWriter(capacityBytes: 64 << 10)

    /// - Parameter active: the last segment of a log that goes on; `nil` for one without a history.
    init(
        _ directory: LogDirectory, _ options: LogFilesOptions, _ shelf: Guarded<LogShelf>,
        active: SegmentFile?
    ) {
        self.directory = directory
        self.options = options
        self.shelf = shelf
        self.active = active
        lease = StampedLease(
            options.leaseMilliseconds, inherited: options.inheritedLeaseMilliseconds,
            now: MonotonicClock.now)
        isStampDue = active != nil
        shelf.withLock { $0.leaseMilliseconds = options.inheritedLeaseMilliseconds }
        let last = shelf.withLock { $0.segments.last }
        guard let last else { return }
        log = last.header.log
        form = last.header.form
        head = last.head
        usedBytes = last.usedBytes
        reservedBytes = usedBytes
        settled = head
        shelf.withLock { [settled] in $0.figures.synchronized = settled.position.sequence }
    }

    // MARK: Lives

    /// Begins an epoch. If that fails now, it is retried after a while, and before the next append.
    mutating func begin(_ life: Life) throws(LogFileError) {
        wanted = life
        try beginWanted()
    }

    private mutating func beginWanted() throws(LogFileError) {
        guard let life = wanted else { return }
        wantedAgainAt = MonotonicClock.now.advanced(by: LogFilesLimits.beginRetry)
        let header = try createSegment(of: life.log, at: life.base)
        log = life.log
        head = life.base
        settled = head
        unsettledSince = nil
        isRollBegun = false
        shelf.withLock { shelf in
            let figures = shelf.figures
            shelf = LogShelf(
                log: life.log, epoch: life.base.position.epoch, isBegun: false, segments: [])
            shelf.figures = figures
            shelf.figures.synchronized = life.base.position.sequence
        }
        addToShelf(header)
        try writeStamp(isClosed: false)
        isStampDue = false
        wanted = nil
        shelf.withLock { $0.isBegun = true }
        for name in try directory.segmentNames() where name != SegmentName(base: head.position) {
            try directory.remove(name)
        }
    }

    private mutating func createSegment(
        of log: LogID, at base: LogMark
    ) throws(LogFileError) -> SegmentHeader {
        var dice = SystemRandomNumberGenerator()
        let header = SegmentHeader(
            log: log, base: base, createdAt: Self.wallSeconds,
            form: .salted(FileSalt(drawnBy: &dice)))
        active = try directory.create(header, reserving: options.segmentBytes)
        form = header.form
        usedBytes = SegmentHeader.bytes
        reservedBytes = options.segmentBytes
        return header
    }

    private func addToShelf(_ header: SegmentHeader) {
        let segment = LogShelf.Segment(
            header: header, path: directory.path(of: header.name), head: header.base,
            usedBytes: SegmentHeader.bytes, index: SegmentIndex())
        shelf.withLock { $0.segments.append(segment) }
    }

    /// Says in the stamp that the log is being written, unless it says so.
    mutating func markOpen() throws(LogFileError) {
        guard isStampDue, wanted == nil else { return }
        try writeStamp(isClosed: false)
        isStampDue = false
    }

    /// The owners of slots are stored: the stamp is of a log with slots from now on.
    mutating func noteSlots() throws(LogFileError) {
        guard !isStampedForSlots, wanted == nil, active != nil else { return }
        isStampDue = true
        try markOpen()
    }

    private mutating func writeStamp(isClosed: Bool) throws(LogFileError) {
        var stamp = LogStamp(
            log: log, mark: settled, leaseMilliseconds: lease.milliseconds, isClosed: isClosed,
            imprint: LogStamp.Imprint(file: 0, birth: 0))
        stamp.hasSlots = options.mayBeginSlots || directory.has(.slots)
        try directory.write(stamp)
        isStampedForSlots = stamp.hasSlots
        shelf.withLock { [lease] in $0.leaseMilliseconds = lease.milliseconds }
    }

    // MARK: Appending

    /// Appends a batch, as safely as the mode says.
    ///
    /// - Throws: nothing of it is in the log then, unless the log is halted by it: then the files
    ///   decide at the next start.
    mutating func append(_ batch: [SealedRecord]) throws(LogFileError) {
        if let halted { throw halted }
        try beginWanted()
        try markOpen()
        try takeRollBack()
        encode(batch)
        if mustRoll(for: buffer.count) {
            try roll()
            encode(batch)
        }
        guard let active else { preconditionFailure("a log is begun before it is appended to") }
        do throws(LogFileError) {
            try reserve(active, for: buffer.count)
            try active.write(buffer.bytes, at: usedBytes)
        } catch {
            try takeBack(active, after: error)
            throw error
        }
        if options.sync == .always { try settle(active, through: batch.last) }
        note(batch)
    }

    /// Gets what the next append needs and writes no record.
    ///
    /// - Parameter byteCount: of the batch that failed; 0 if none has.
    /// - Throws: what the append would throw.
    mutating func probe(_ byteCount: Int) throws(LogFileError) {
        if let halted { throw halted }
        try beginWanted()
        try markOpen()
        try takeRollBack()
        if mustRoll(for: byteCount) { try roll() }
        // Nothing more goes to a segment of format 1.
        guard let active, form != .unsalted else { return }
        do throws(LogFileError) {
            try reserve(active, for: byteCount)
        } catch {
            try takeBack(active, after: error)
            throw error
        }
    }

    /// How many bytes the batch has that was encoded last.
    var encodedBytes: Int { buffer.count }

    /// Whether nothing is written any more before a restart.
    var isHalted: Bool { halted != nil }

    /// Whether the encoded batch goes to the next segment. A segment of format 1 is continued no
    /// longer than it has to be: names that clients chose could be taken for its frames.
    private func mustRoll(for byteCount: Int) -> Bool {
        guard usedBytes > SegmentHeader.bytes, byteCount > 0 else { return false }
        return form == .unsalted || usedBytes + byteCount > options.segmentBytes
    }

    private mutating func encode(_ batch: [SealedRecord]) {
        buffer.removeAll()
        for sealed in batch {
            SegmentFrame.encode(
                sealed, settled: settled.position.sequence, in: form, into: &buffer)
        }
    }

    /// Reserves space before anything is written, so that a full disk is noticed in time, and the
    /// fsync has only data to write.
    private mutating func reserve(
        _ active: SegmentFile, for byteCount: Int
    ) throws(LogFileError) {
        let needed = max(usedBytes + byteCount, options.segmentBytes)
        guard needed > reservedBytes else { return }
        try active.reserve(needed)
        reservedBytes = needed
    }

    private mutating func takeBack(
        _ active: SegmentFile, after error: LogFileError
    ) throws(LogFileError) {
        reservedBytes = usedBytes
        do throws(LogFileError) {
            try active.cut(to: usedBytes)
        } catch {
            throw halt(because: error)
        }
    }

    private mutating func halt(because error: LogFileError) -> LogFileError {
        let halted = LogFileError.halted(since: error.description)
        self.halted = halted
        return halted
    }

    private mutating func settle(
        _ active: SegmentFile, through last: SealedRecord?
    ) throws(LogFileError) {
        let began = MonotonicClock.now
        do throws(LogFileError) {
            try active.synchronize()
        } catch {
            throw halt(because: error)
        }
        let duration = MonotonicClock.now.elapsed(since: began)
        settled = last?.mark ?? head
        unsettledSince = nil
        shelf.withLock { [settled] in
            $0.figures.synchronized = settled.position.sequence
            $0.figures.synchronizations += 1
            $0.figures.lastSynchronization = duration
        }
    }

    private mutating func note(_ batch: [SealedRecord]) {
        var offset = usedBytes
        let places = batch.map { sealed in
            defer { offset += form.frameBytes(around: sealed.bytes.count) }
            return (sealed.position.sequence, offset)
        }
        usedBytes = offset
        head = batch.last?.mark ?? head
        if options.sync != .always, unsettledSince == nil { unsettledSince = MonotonicClock.now }
        let (used, head) = (usedBytes, head)
        shelf.withLock { shelf in
            guard var last = shelf.segments.popLast() else { return }
            for (sequence, offset) in places { last.index?.note(sequence, at: offset) }
            last.usedBytes = used
            last.head = head
            shelf.segments.append(last)
        }
    }

    /// Ends the active segment, fsynced and without its reserve, and begins the next.
    private mutating func roll() throws(LogFileError) {
        guard let full = active else { return }
        try settle(full, through: nil)
        isRollBegun = true
        let header: SegmentHeader
        do throws(LogFileError) {
            header = try createSegment(of: log, at: head)
        } catch {
            // What could not be taken back now is before the next append.
            do throws(LogFileError) { try takeRollBack() } catch {}
            throw error
        }
        isRollBegun = false
        addToShelf(header)
        isStampOld = true
        // Only space is at stake.
        do throws(LogFileError) { try full.cut(to: fullBytes) } catch {}
    }

    /// Removes the next segment of a roll that has failed, so that this one may go on.
    private mutating func takeRollBack() throws(LogFileError) {
        guard isRollBegun else { return }
        try directory.unmake(SegmentName(base: head.position))
        isRollBegun = false
    }

    private var fullBytes: Int {
        shelf.withLock { shelf in shelf.segments.dropLast().last?.usedBytes ?? 0 }
    }

    // MARK: Time

    /// How long the thread may sleep.
    func patience(at now: Instant) -> Duration? {
        var waits = [lease.shrinksAt?.elapsed(since: now)]
        if wanted != nil { waits.append(wantedAgainAt?.elapsed(since: now)) }
        if let unsettledSince, options.sync == .interval, halted == nil {
            let due = unsettledSince.advanced(by: LogFilesLimits.syncInterval)
            waits.append(due.elapsed(since: now))
        }
        if options.retention.secondsMax != nil { waits.append(LogFilesLimits.retentionPeriod) }
        return waits.compactMap { $0 }.min()
    }

    /// Does the work that is due: begins an epoch that could not be begun, fsyncs in the mode
    /// `interval`, updates the stamp, and removes old and damaged segments.
    mutating func tick(now: Instant) throws(LogFileError) {
        if wanted != nil, let wantedAgainAt, wantedAgainAt <= now {
            // The failure was reported at the first attempt.
            do throws(LogFileError) { try beginWanted() } catch {}
        }
        if let unsettledSince, let active, options.sync == .interval, halted == nil,
            now.elapsed(since: unsettledSince) >= LogFilesLimits.syncInterval
        {
            try settle(active, through: nil)
        }
        try refreshStamp(now: now)
        try retire()
        for name in shelf.withLock({ $0.takeCondemned() }) { try directory.remove(name) }
    }

    /// Says in the stamp that a segment was begun, so that the next start reads no other and
    /// notices when it is lost, and that a longer lease can no longer be held. Tried once: the old
    /// stamp is true as well.
    private mutating func refreshStamp(now: Instant) throws(LogFileError) {
        let isLeaseOver = lease.shrink(at: now)
        guard isStampOld || isLeaseOver else { return }
        isStampOld = false
        guard !isStampDue, wanted == nil, halted == nil, active != nil else { return }
        try writeStamp(isClosed: false)
    }

    private func retire() throws(LogFileError) {
        let (retention, head) = (options.retention, head.position.sequence)
        let now = Self.wallSeconds
        let leaving = shelf.withLock { shelf in
            let segments = shelf.segments.map {
                LogRetention.Segment(
                    base: $0.header.base.position.sequence, usedBytes: $0.usedBytes,
                    createdAt: $0.header.createdAt)
            }
            let count = retention.leaving(segments, head: head, now: now)
            defer { shelf.segments.removeFirst(count) }
            return shelf.segments.prefix(count).map(\.name)
        }
        for name in leaving { try directory.remove(name) }
    }

    /// Longer leases are wanted from now on, and granted once the stamp holds them. If the stamp
    /// cannot be written now, it is written before the next append.
    mutating func note(leaseMilliseconds: UInt32) throws(LogFileError) {
        guard lease.grants(leaseMilliseconds, now: MonotonicClock.now), wanted == nil,
            active != nil
        else { return }
        isStampDue = true
        try markOpen()
    }

    /// Ends the log in order: it can be proven afterwards that nothing is missing.
    mutating func close() throws(LogFileError) {
        if let halted { throw halted }
        guard wanted == nil else { return }
        if let active {
            try settle(active, through: nil)
            try active.cut(to: usedBytes)
            try active.synchronize()
        }
        try writeStamp(isClosed: true)
    }

    static var wallSeconds: UInt64 { UInt64(max(0, time(nil))) }
}
