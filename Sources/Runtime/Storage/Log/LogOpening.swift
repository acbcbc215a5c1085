package import CacheInvalidation
import CacheModel
import CacheWire
import Threading

/// The state of a log's directory when it was opened.
package enum LogFinding: Hashable, Sendable {
    /// Nothing: it was never written, or all of it is gone.
    case empty
    /// The log continues where it ended.
    case whole
    /// The log continues; the end of a write that never finished was cut off.
    case torn
    /// It cannot be proven whole.
    case broken(LogBreach)
}

/// Opens a log on disk: locks its directory, reads the segments that decide, and judges it.
struct LogOpening {
    let directory: LogDirectory
    let finding: LogFinding
    let verdict: LogRecovery.Verdict
    /// The longest lease that an earlier publisher may have granted; `nil`: it is unknown.
    let leaseMilliseconds: UInt32?

    init(_ options: LogFilesOptions) throws(LogFileError) {
        directory = try LogDirectory(options.directory, faults: options.faults)
        try directory.removeUnfinished(LogDirectory.isLogFile)
        let stamp = try directory.readStamp()
        if let stamp, stamp.bytes.withUnsafeBytes({ LogStamp.isOfNewerFormat($0) }) {
            throw .newerForm(path: directory.path, record: nil)
        }
        var recovery = LogRecovery(
            stamp: stamp?.bytes, imprint: stamp?.imprint, names: try directory.segmentNames())
        while let wanted = recovery.next {
            try directory.read(wanted, for: &recovery)
        }
        leaseMilliseconds = recovery.leaseMilliseconds
        verdict = recovery.verdict
        finding =
            switch verdict {
            case .empty: .empty
            case .whole(let whole): whole.isTorn ? .torn : .whole
            case .broken(let breach, _): .broken(breach)
            }
    }

    /// The latest epoch that the cluster has seen.
    var clustersEpoch: Epoch {
        directory.read(.cluster).flatMap { KeptCluster(reading: $0) }?.epoch ?? .none
    }

    /// Whether its epoch is an earlier one, although no record of it is missing.
    func isSetBack(_ whole: LogRecovery.Whole) -> Bool {
        whole.head.position.epoch < clustersEpoch
    }

    /// The segment to continue, without any bytes behind its last whole frame, and durable. Records
    /// that a process wrote before it was killed may not be, and are sent to nodes from now on.
    func active(of whole: LogRecovery.Whole) throws(LogFileError) -> SegmentFile? {
        guard let last = whole.segments.last else { return nil }
        let file = try directory.open(last.header.name, .writing)
        if whole.isTorn { try file.cut(to: last.usedBytes) }
        try file.synchronize()
        return file
    }

    func shelf(of whole: LogRecovery.Whole) -> LogShelf {
        LogShelf(
            log: whole.log, epoch: whole.head.position.epoch, isBegun: true,
            segments: whole.segments.map {
                LogShelf.Segment(
                    header: $0.header, path: directory.path(of: $0.header.name), head: $0.head,
                    usedBytes: $0.usedBytes, index: $0.index)
            })
    }
}

extension LogDirectory {
    fileprivate func read(
        _ wanted: LogRecovery.Wanted, for recovery: inout LogRecovery
    ) throws(LogFileError) {
        switch wanted {
        case .header(let name):
            let file = try open(name, .reading)
            let fileBytes = try file.sizeBytes
            let bytes = try file.read(SegmentHeader.bytes, at: 0)
            if bytes.withUnsafeBytes({ SegmentHeader.isOfNewerFormat($0) }) {
                throw .newerForm(path: path(of: name), record: nil)
            }
            bytes.withUnsafeBytes { recovery.readHeader($0, fileBytes: fileBytes) }
        case .everything(let name):
            let file = try open(name, .reading)
            let bytes = try file.readWhole(InvalidationLimits.segmentBytesMax)
            if let position = bytes.withUnsafeBytes({ NewerRecord.first(in: $0) }) {
                throw .newerForm(path: path(of: name), record: position)
            }
            bytes.withUnsafeBytes { recovery.read($0) }
        }
    }
}

/// A record in a segment that is whole, and of a form that this release cannot read.
enum NewerRecord {
    /// Where the first one is. What is damaged ends the search.
    ///
    /// - Complexity: O(bytes).
    static func first(in segment: UnsafeRawBufferPointer) -> LogPosition? {
        guard let header = SegmentHeader(segment) else { return nil }
        var offset = SegmentHeader.bytes
        while let frame = SegmentFrame(segment, at: offset, in: header.form) {
            guard SealedRecord.isOfKnownForm(frame.record) else {
                return LogPosition(epoch: header.base.position.epoch, sequence: frame.sequence)
            }
            offset += frame.bytes
        }
        return nil
    }
}
