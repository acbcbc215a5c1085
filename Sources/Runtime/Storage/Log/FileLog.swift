package import CacheInvalidation
package import CacheModel
import CacheWire
import Threading

/// A log on disk: segments of checksummed, digest-linked records in one directory.
///
/// The publisher's thread owns this value and calls it; a thread of the log's own writes. An append
/// hands the batch over and returns. Its outcome comes back by `tell`, the publisher passes it to
/// ``finish(_:)``, and only then the head moves:
///
///     the publisher's thread                         the log's thread
///     ┌───────────────────────────┐   batch          ┌──────────────────────────────┐
///     │ append ───────────────────│─────────────────▶│ LogWriter: one write, one    │
///     │ finish ◀─ mailbox ◀───────│──── outcome ─────│ fdatasync, then retention    │
///     │ head, digest, read        │                  │                              │
///     │   window: the newest      │     LogShelf     │                              │
///     │   files: all that is kept │◀════ (lock) ════▶│ which files, how far         │
///     └───────────────────────────┘                  └──────────────────────────────┘
///
/// The newest records are in memory, too; older ones are read from the files on the publisher's
/// thread, at most half a MiB at a time. That thread never waits for an fsync. Records of an
/// earlier process are proven before the first of them is used: by the log's thread in its own
/// time, or here if they are requested sooner. docs/log-format.md and `LogRecovery` describe the
/// files, and how they are judged at a start.
package struct FileLog: InvalidationLog {
    /// The log's mark, its newest records, and the digests of more of them.
    private var window: MemoryLog
    private let shelf: Guarded<LogShelf>
    private var underWay: (ticket: LogTicket, batch: [SealedRecord])?
    private var lastTicket: UInt64 = 0
    private let faults: LogFaults
    /// The thread that writes.
    package let keeper: LogKeeper
    /// The state in which it was found when it was opened.
    package let finding: LogFinding
    /// Whether its epoch is earlier than one that its cluster has seen: a new one is begun.
    package let isSetBack: Bool
    package let inheritedLease: Duration?
    package let areFloorsComing: Bool
    /// The stored pacings; `nil` if there are none.
    package let pacings: [UInt8]?
    /// The stored runs of each node; `nil` if there are none.
    package let nodes: [UInt8]?
    /// The stored identity of the cluster; `nil` if there is none.
    package let cluster: [UInt8]?
    /// The stored owners of slots; `nil` if there are none.
    package let slots: [UInt8]?

    /// Opens the log in a directory, which is locked until ``LogKeeper/close()``. Reads the end of
    /// it: one segment, or two after a crash.
    ///
    /// - Parameters:
    ///   - freshID: drawn at random; the id of the log if it does not continue its files.
    ///   - tell: called on the log's thread, also before this returns.
    /// - Throws: ``LogFileError``; nothing was changed then.
    package init(
        _ options: LogFilesOptions, freshID: LogID,
        tell: @escaping @Sendable (LogNews) -> Void
    ) throws(LogFileError) {
        let opening = try LogOpening(options)
        var options = options
        options.inheritedLeaseMilliseconds =
            opening.leaseMilliseconds ?? options.unknownLeaseMilliseconds
        finding = opening.finding
        inheritedLease = opening.leaseMilliseconds.map { .milliseconds(Int64($0)) }
        faults = options.faults
        pacings = try opening.directory.readPacings()
        nodes = opening.directory.readNodes()
        cluster = opening.directory.read(.cluster)
        slots = opening.directory.read(.slots)
        let clustersEpoch = opening.clustersEpoch
        window = MemoryLog(
            id: freshID, recordsMax: LogFilesLimits.windowDigestsMax - 1,
            bytesMax: LogFilesLimits.windowBytesMax, decode: SealedRecord.kept)
        var active: SegmentFile?
        var found = LogShelf()
        var recalled: LogRecovery.Whole?
        var isSetBack = false
        if case .whole(let whole) = opening.verdict {
            isSetBack = opening.isSetBack(whole)
            if isSetBack { options.isNewEpochWanted = true }
            active = try opening.active(of: whole)
            found = opening.shelf(of: whole)
            recalled = options.isNewEpochWanted ? nil : whole
        }
        self.isSetBack = isSetBack
        // The log's thread sets it later; the first read may come before that.
        found.leaseMilliseconds = options.inheritedLeaseMilliseconds
        let shelf = Guarded(found)
        self.shelf = shelf
        areFloorsComing = recalled != nil
        keeper = try LogKeeper(
            writer: { [directory = opening.directory, options, active] in
                LogWriter(directory, options, shelf, active: active)
            },
            recall: recalled.map {
                FloorsRecall(opening.directory, shelf, $0, sync: options.sync)
            }, tell: tell)
        if window.stand(
            on: opening.verdict, isNewEpochWanted: options.isNewEpochWanted,
            clustersEpoch: clustersEpoch)
        {
            keeper.begin(id, at: head)
        }
    }

    /// Whether the log in a directory goes on where it ended. Its records are not changed; a
    /// directory that does not exist is not made.
    ///
    /// - Throws: ``LogFileError``, also if a publisher uses the directory.
    package static func isWhole(_ options: LogFilesOptions) throws(LogFileError) -> Bool {
        guard LogFilesOptions.isLog(at: options.directory) else { return false }
        let opening = try LogOpening(options)
        defer { opening.directory.unlock() }
        guard case .whole(let whole) = opening.verdict else { return false }
        return !opening.isSetBack(whole)
    }

    package var id: LogID { window.id }
    package var head: LogMark { window.head }
    package var hasHistory: Bool { window.hasHistory }
    package var outlivesItsProcess: Bool { true }
    package var leaseKept: Duration? {
        .milliseconds(Int64(shelf.withLock { $0.leaseMilliseconds }))
    }
    package var isBegun: Bool { kept { $0.isBegun } ?? false }

    package var tail: SequenceNumber {
        // Behind the last number of an epoch there is a tail, and no number.
        kept { shelf in
            shelf.segments.first.map {
                SequenceNumber($0.header.base.position.sequence.rawValue + 1)
            }
        } ?? window.tail
    }

    package mutating func continueHistory(of id: LogID, from head: LogMark) {
        window.continueHistory(of: id, from: head)
        underWay = nil
        keeper.begin(id, at: head)
    }

    package mutating func open(_ epoch: Epoch) {
        window.open(epoch)
        underWay = nil
        keeper.begin(id, at: head)
    }

    @discardableResult
    package mutating func append(
        _ batch: [SealedRecord], expecting expected: LogMark
    ) throws(LogRefusal) -> LogProgress {
        precondition(hasHistory, "a log knows its position before it continues")
        precondition(underWay == nil, "one append follows the other")
        guard expected == head else { throw .unexpectedHead(head) }
        guard Self.isChain(batch, after: head) else { throw .notContiguous }
        guard !batch.isEmpty else { return .done }
        lastTicket += 1
        let ticket = LogTicket(lastTicket)
        underWay = (ticket, batch)
        keeper.append(ticket, batch)
        return .underWay(ticket)
    }

    package mutating func finish(_ outcome: LogOutcome) {
        guard let (ticket, batch) = underWay, ticket == outcome.ticket else { return }
        underWay = nil
        guard outcome.refusal == nil else { return }
        do throws(LogRefusal) {
            try window.append(batch, expecting: head)
        } catch {
            preconditionFailure("what was a chain on this head is one: \(error)")
        }
    }
}

// MARK: - Reading

extension FileLog {
    package func digest(at sequence: SequenceNumber) -> LogDigest? {
        if let digest = window.digest(at: sequence) { return digest }
        guard let segment = segment(after: sequence) else { return nil }
        if segment.header.base.position.sequence == sequence { return segment.header.base.digest }
        // The next record carries it.
        return read(after: sequence, limit: 1)?.first?.record.previousDigest
    }

    /// May return fewer than there are: a reading takes at most half a MiB from the files.
    ///
    /// - Complexity: O(`limit`) from memory; from files one reading.
    package func read(after sequence: SequenceNumber, limit: Int) -> [SealedRecord]? {
        if sequence.rawValue + 1 >= tail.rawValue,
            let records = window.read(after: sequence, limit: limit)
        {
            return records
        }
        guard sequence != head.position.sequence else { return [] }
        guard let found = segment(after: sequence), let segment = proven(found) else {
            return nil
        }
        guard limit > 0 else { return [] }
        do throws(LogFileError) {
            let reading = SegmentReading(segment, after: sequence, through: head.position.sequence)
            let records = try reading.records(limit: limit, faults: faults)
            return records.isEmpty ? nil : records
        } catch {
            // Removed meanwhile, or unreadable: it is not kept any more.
            return nil
        }
    }

    /// The segment, once it is proven; `nil` if it cannot be. Reads the whole segment if it is not
    /// proven yet.
    private func proven(_ segment: LogShelf.Segment) -> LogShelf.Segment? {
        if segment.isProven { return segment }
        var check = SegmentCheck(segment, faults: faults)
        let outcome = check.finish()
        if let damage = check.note(outcome, on: shelf) { keeper.note(damage) }
        guard case .proven(let proven) = outcome else { return nil }
        return proven
    }

    /// The segment with the record after `sequence`, if it is kept and this log's.
    private func segment(after sequence: SequenceNumber) -> LogShelf.Segment? {
        guard sequence < head.position.sequence else { return nil }
        return kept { $0.segment(after: sequence) }
    }

    /// A value of the shelf, unless the shelf still has an earlier epoch of the log.
    private func kept<Value: Sendable>(_ body: (LogShelf) -> Value?) -> Value? {
        shelf.withLock { shelf in
            shelf.log == id && shelf.epoch == head.position.epoch ? body(shelf) : nil
        }
    }
}

// MARK: Figures

extension FileLog {
    package var figures: [LogFigure] {
        shelf.withLock { shelf in
            let proven = shelf.segments.lazy.filter(\.isProven)
            let first = shelf.segments.first
            return [
                LogFigure("log_segments", UInt64(shelf.segments.count)),
                LogFigure("log_bytes", Self.bytes(shelf.segments)),
                LogFigure("log_proven_bytes", Self.bytes(proven)),
                LogFigure("log_oldest_created", first?.header.createdAt ?? 0),
                LogFigure("log_synchronized", shelf.figures.synchronized.rawValue),
                LogFigure("log_synchronizations", shelf.figures.synchronizations),
                LogFigure(
                    "log_last_sync_microseconds",
                    UInt64(shelf.figures.lastSynchronization / .microseconds(1))),
                LogFigure("log_segments_damaged", shelf.figures.damaged),
            ]
        }
    }

    private static func bytes(_ segments: some Sequence<LogShelf.Segment>) -> UInt64 {
        segments.reduce(0) { $0 + UInt64($1.usedBytes) }
    }
}
