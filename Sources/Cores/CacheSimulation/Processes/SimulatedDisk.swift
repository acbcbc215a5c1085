import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire

/// A disk with one log on it, and the thread that writes it: the counterpart of `LogWriter`.
///
/// Written bytes that are not synchronized may be gone after a power loss; a write may end in the
/// middle. The disk outlives its publishers. Pending commands and the state of the writer die with
/// each publisher.
final class SimulatedDisk {
    struct Job {
        let ticket: LogTicket
        let batch: [SealedRecord]
    }

    struct File {
        var bytes: [UInt8]
        /// Bytes from the beginning that survive a loss of power.
        var durableCount: Int
    }

    /// The contents of the disk.
    struct Contents {
        var stamp: (bytes: [UInt8], imprint: LogStamp.Imprint)?
        var segments: [SegmentName: File] = [:]
        /// The floors of the log, as saved last.
        var floors: FloorSnapshot?
        /// The last run of each node.
        var lives: [UInt8]?
        /// The owners of slots.
        var slots: [UInt8]?
    }

    /// The leases of the publisher that opens it, in milliseconds.
    struct Terms {
        let granted: UInt32
        /// The longest lease that any publisher may have granted.
        let longest: UInt32
    }

    /// The records that the floors must cover after a start.
    struct Recall {
        let log: LogID
        let target: LogMark
        /// Whether it is certain that no applied record was lost right before the start.
        let isCertain: Bool
    }

    let segmentBytes: Int
    let retention: LogRetention
    var contents = Contents()
    /// Pending batches of the publisher, oldest first.
    var jobs: [Job] = []
    /// The wall time.
    var wallSeconds: UInt64 = 0
    /// Written and not synchronized yet.
    private var unsettled: (ticket: LogTicket, head: LogMark)?
    private var fileCount: UInt64 = 0
    private var segmentCount: UInt64 = 0
    private(set) var log = LogID.none
    private var head = LogMark.none
    private(set) var settled = SequenceNumber.none
    /// The synchronized position before the last batch: damage after it looks like a torn end.
    private(set) var settledBeforeLast = SequenceNumber.none
    private var active: SegmentName?
    /// Segments with records that may be read: written since the log was opened, or read and
    /// complete.
    var proven: Set<SegmentName> = []
    private(set) var recall: Recall?
    /// The position of the log at the last write of its stamp, and the position in the stamp at the
    /// last opening.
    private var stampedAt = LogPosition.none
    private(set) var openedAt = LogPosition.none
    /// The lease in the stamp at the opening; `nil` if unknown.
    private(set) var inheritedMilliseconds: UInt32?
    /// The lease in the stamp. It never shrinks while a publisher is up.
    private var leaseMilliseconds: UInt32 = 0

    init(segmentBytes: Int, retention: LogRetention) {
        self.segmentBytes = segmentBytes
        self.retention = retention
    }

    /// Recovers the log, and prepares to continue it.
    func open(_ terms: Terms) -> LogRecovery.Verdict {
        jobs = []
        unsettled = nil
        active = nil
        proven = []
        openedAt = stampedAt
        recall = nil
        var recovery = LogRecovery(
            stamp: contents.stamp?.bytes, imprint: contents.stamp?.imprint,
            names: Array(contents.segments.keys))
        while let wanted = recovery.next { read(wanted, for: &recovery) }
        let verdict = recovery.verdict
        inheritedMilliseconds = recovery.leaseMilliseconds
        leaseMilliseconds = max(terms.granted, inheritedMilliseconds ?? terms.longest)
        if case .whole(let whole) = verdict, let last = whole.segments.last {
            active = last.header.name
            recall = Recall(
                log: whole.log, target: whole.head, isCertain: whole.isClosed || !whole.isTorn)
            proven = [last.header.name]
            log = whole.log
            head = whole.head
            settled = head.position.sequence
            settledBeforeLast = settled
            contents.segments[last.header.name].map {
                let bytes = Array($0.bytes.prefix(last.usedBytes))
                contents.segments[last.header.name] = File(
                    bytes: bytes, durableCount: bytes.count)
            }
            writeStamp(isClosed: false)
        }
        return verdict
    }

    private func read(_ wanted: LogRecovery.Wanted, for recovery: inout LogRecovery) {
        switch wanted {
        case .header(let name):
            let bytes = contents.segments[name]?.bytes ?? []
            bytes.prefix(SegmentHeader.bytes).withUnsafeBytes {
                recovery.readHeader($0, fileBytes: bytes.count)
            }
        case .everything(let name):
            (contents.segments[name]?.bytes ?? []).withUnsafeBytes { recovery.read($0) }
        }
    }

    // MARK: The writer

    /// Whether the thread has work.
    var hasWork: Bool { unsettled != nil || !jobs.isEmpty }

    /// Does the next step of its work: a synchronization, or the beginning of a write.
    ///
    /// - Returns: the report to the publisher.
    func work(isFull: Bool = false) -> LogOutcome? {
        if let (ticket, head) = unsettled {
            unsettled = nil
            settle()
            settledBeforeLast = settled
            settled = head.position.sequence
            retire()
            return LogOutcome(ticket: ticket)
        }
        guard !jobs.isEmpty else { return nil }
        let job = jobs.removeFirst()
        guard !isFull else {
            return LogOutcome(ticket: job.ticket, refusal: .storage("no room is left"))
        }
        write(job.batch)
        unsettled = (job.ticket, head)
        return nil
    }

    /// Begins a log or epoch, durably, after all pending batches.
    func begin(_ log: LogID, at base: LogMark) {
        while hasWork { _ = work() }
        self.log = log
        head = base
        settled = base.position.sequence
        create()
        writeStamp(isClosed: false)
        contents.segments = contents.segments.filter { $0.key == active }
    }

    private func create() {
        let header = SegmentHeader(log: log, base: head, createdAt: wallSeconds, form: nextForm())
        var writer = ByteWriter(capacityBytes: SegmentHeader.bytes)
        header.encode(into: &writer)
        active = header.name
        proven.insert(header.name)
        contents.segments[header.name] = File(
            bytes: writer.array, durableCount: writer.count)
    }

    /// The form of a new segment: its salt is unique.
    private func nextForm() -> FrameForm {
        segmentCount += 1
        return FileSalt(rawValue: segmentCount).map { .salted($0) } ?? .unsalted
    }

    /// The frames of a batch, in the form of the active segment.
    func frames(of batch: [SealedRecord]) -> ByteWriter {
        var writer = ByteWriter(capacityBytes: 512)
        let form = active.flatMap { header(of: $0)?.form } ?? .unsalted
        for sealed in batch {
            SegmentFrame.encode(sealed, settled: settled, in: form, into: &writer)
        }
        return writer
    }

    private func write(_ batch: [SealedRecord]) {
        var writer = frames(of: batch)
        if let active, let file = contents.segments[active], file.bytes.count > SegmentHeader.bytes,
            file.bytes.count + writer.count > segmentBytes
        {
            settle()
            create()
            writer = frames(of: batch)
        }
        guard let active else { preconditionFailure("a log is begun before it is appended to") }
        contents.segments[active]?.bytes += writer.array
        head = batch.last?.mark ?? head
    }

    private func settle() {
        guard let active, let count = contents.segments[active]?.bytes.count else { return }
        contents.segments[active]?.durableCount = count
    }

    private func retire() {
        let names = contents.segments.keys.sorted()
        let segments = names.map { name in
            let bytes = contents.segments[name]?.bytes ?? []
            return LogRetention.Segment(
                base: name.base.sequence, usedBytes: bytes.count,
                createdAt: bytes.withUnsafeBytes { SegmentHeader($0) }?.createdAt ?? 0)
        }
        let count = retention.leaving(segments, head: head.position.sequence, now: wallSeconds)
        for name in names.prefix(count) { contents.segments[name] = nil }
    }

    private func writeStamp(isClosed: Bool) {
        fileCount += 1
        let imprint = LogStamp.Imprint(file: fileCount, birth: fileCount)
        var writer = ByteWriter(capacityBytes: LogStamp.bytes)
        LogStamp(
            log: log, mark: head, leaseMilliseconds: leaseMilliseconds, isClosed: isClosed,
            imprint: imprint
        ).encode(into: &writer)
        contents.stamp = (writer.array, imprint)
        stampedAt = head.position
    }

    /// Closes the log in order: it writes all pending batches, and the stamp says that the log is
    /// complete.
    ///
    /// - Parameter granted: the present lease, if no run can hold a longer one of an earlier
    ///   publisher; `nil` if one can.
    func close(granted: UInt32?) {
        if let granted { leaseMilliseconds = granted }
        while hasWork { _ = work() }
        guard active != nil else { return }
        writeStamp(isClosed: true)
    }

    /// Restores the contents of a copy: the same bytes in other files.
    func restore(_ copy: Contents) {
        fileCount += 1
        contents = copy
        contents.stamp?.imprint = LogStamp.Imprint(file: fileCount, birth: fileCount)
    }
}
