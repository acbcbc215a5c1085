import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire

/// One reading of records from a segment's file.
struct SegmentReading {
    private let segment: LogShelf.Segment
    private let after: SequenceNumber
    private let last: SequenceNumber

    /// - Parameters:
    ///   - sequence: the record after it is the first.
    ///   - last: no record beyond it is returned.
    init(
        _ segment: LogShelf.Segment, after sequence: SequenceNumber, through last: SequenceNumber
    ) {
        self.segment = segment
        after = sequence
        self.last = last
    }

    /// The records, oldest first: as many as `limit`, the segment and one reading have. What is
    /// damaged ends them.
    func records(limit: Int, faults: LogFaults) throws(LogFileError) -> [SealedRecord] {
        guard let index = segment.index else {
            preconditionFailure("only proven records are read")
        }
        guard let start = index.offset(atOrBefore: after.next) else { return [] }
        let file = try SegmentFile(segment.path, .reading, faults: faults)
        let bytes = try file.read(
            min(segment.usedBytes - start, LogFilesLimits.readBytesMax), at: start)
        return bytes.withUnsafeBytes { records(in: $0, limit: limit) }
    }

    private func records(in bytes: UnsafeRawBufferPointer, limit: Int) -> [SealedRecord] {
        var records: [SealedRecord] = []
        var offset = 0
        while records.count < limit,
            let frame = SegmentFrame(bytes, at: offset, in: segment.header.form),
            frame.sequence <= last
        {
            offset += frame.bytes
            guard frame.sequence > after else { continue }
            guard let sealed = decode(frame) else { break }
            records.append(sealed)
        }
        return records
    }

    private func decode(_ frame: SegmentFrame) -> SealedRecord? {
        var reader = ByteReader(frame.record)
        do throws(WireRefusal) {
            let sealed = try SealedRecord(decoding: &reader)
            let isSame =
                sealed.position.epoch == segment.header.base.position.epoch
                && sealed.position.sequence == frame.sequence
                && sealed.record.previousDigest == frame.previousDigest
            return isSame ? sealed : nil
        } catch {
            return nil
        }
    }
}
