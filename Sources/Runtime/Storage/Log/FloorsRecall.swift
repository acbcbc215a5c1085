import CacheInvalidation
import CacheModel
import Threading

/// Rebuilds the floors of the records before the start, on the log's thread: from the file that an
/// earlier process saved, and from the log after it. If the file is missing, damaged, of another
/// epoch, or ends before the kept records, it reads all kept records: the floors know less then.
struct FloorsRecall {
    /// The outcome of a step.
    enum Outcome {
        case unfinished
        case damage(LogDamage)
        case over(FloorSnapshot)
    }

    private let directory: LogDirectory
    private let shelf: Guarded<LogShelf>
    private let log: LogID
    /// The log's mark at the start: the publisher itself notes later records.
    private let target: LogMark
    /// Whether no record that a node has applied can have been lost right before the start.
    private let isCertain: Bool
    /// Whether none can be lost before the next start either.
    private let staysCertain: Bool
    private var snapshot: FloorSnapshot?
    private var check: SegmentCheck?
    /// Whether the file has turned out not to be this log's.
    private var hasBegunAnew = false

    init(
        _ directory: LogDirectory, _ shelf: Guarded<LogShelf>, _ whole: LogRecovery.Whole,
        sync: LogSync
    ) {
        self.directory = directory
        self.shelf = shelf
        log = whole.log
        target = whole.head
        staysCertain = sync == .always
        isCertain = whole.isClosed || staysCertain && !whole.isTorn
    }

    /// Reads a piece of the log, or the file.
    mutating func step() -> Outcome {
        guard var snapshot else {
            self.snapshot = load()
            return .unfinished
        }
        guard snapshot.asOf.position < target.position else {
            return .over(snapshot.asOf == target ? snapshot : nothing)
        }
        let sequence = snapshot.asOf.position.sequence
        let (next, tail) = shelf.withLock { shelf in
            guard shelf.log == log, shelf.epoch == target.position.epoch else {
                return (LogShelf.Segment?.none, LogMark?.none)
            }
            return (shelf.segment(after: sequence), shelf.segments.first?.header.base)
        }
        guard let next else {
            // The records between are no longer kept.
            guard let tail, tail.position > snapshot.asOf.position, tail.position <= target.position
            else { return .over(nothing) }
            self.snapshot = FloorSnapshot(of: log, at: tail, isCertain: false)
            return .unfinished
        }
        guard next.isProven else { return prove(next) }
        guard note(next, in: &snapshot) else {
            guard !hasBegunAnew else { return .over(nothing) }
            hasBegunAnew = true
            self.snapshot = fromTheTail
            return .unfinished
        }
        self.snapshot = snapshot
        return .unfinished
    }

    /// Notes the next records of a segment.
    ///
    /// - Returns: `false` if they do not follow the snapshot: the file was not this log's.
    private func note(_ segment: LogShelf.Segment, in snapshot: inout FloorSnapshot) -> Bool {
        let after = snapshot.asOf.position.sequence
        let reading = SegmentReading(segment, after: after, through: target.position.sequence)
        do throws(LogFileError) {
            let records = try reading.records(
                limit: LogFilesLimits.floorsRecordsAtOnce, faults: directory.faults)
            guard let first = records.first, first.record.previousDigest == snapshot.asOf.digest
            else { return false }
            for record in records { snapshot.note(record) }
            return true
        } catch {
            return false
        }
    }

    private mutating func prove(_ segment: LogShelf.Segment) -> Outcome {
        var current = SegmentCheck(segment, faults: directory.faults)
        if let check, check.segment.header == segment.header { current = check }
        let outcome = current.step(LogFilesLimits.proofBytes)
        check = current
        return current.note(outcome, on: shelf).map { .damage($0) } ?? .unfinished
    }

    // MARK: Beginnings

    private func load() -> FloorSnapshot {
        let bytes: [UInt8]?
        do throws(LogFileError) {
            bytes = try directory.readFloors()
            // A process that may lose records must not leave a file behind which says that none can
            // be lost.
            if bytes != nil, !staysCertain { try directory.removeFloors() }
        } catch {
            return fromTheTail
        }
        guard let bytes,
            var stored = bytes.withUnsafeBytes({ FloorSnapshot(stored: $0) }),
            stored.log == log, stored.asOf.position.epoch == target.position.epoch,
            stored.asOf.position <= target.position
        else { return fromTheTail }
        if !isCertain { stored.becomeUncertain() }
        return stored
    }

    private var fromTheTail: FloorSnapshot {
        let tail = shelf.withLock { shelf in
            shelf.log == log && shelf.epoch == target.position.epoch
                ? shelf.segments.first?.header.base : nil
        }
        guard let tail, tail.position <= target.position else { return nothing }
        return FloorSnapshot(of: log, at: tail, isCertain: false)
    }

    /// The snapshot if nothing can be read.
    private var nothing: FloorSnapshot { FloorSnapshot(of: log, at: target, isCertain: false) }
}
