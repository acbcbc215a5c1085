package import ByteCoding
package import CacheModel

/// One record as it lies in a segment: 32 bytes in front of what the codec sealed, zeros behind it
/// up to the next multiple of eight.
///
///     offset  size  field
///          0     4  checksum         CRC-32C of everything behind it in the frame
///          4     4  recordBytes      48 … 65 536
///          8     8  sequence
///         16     8  previous digest
///         24     8  settled          what was synchronized before this frame was written
///         32     …  the record's bytes, as they are broadcast
///          …   0-7  zeros
///
/// The room knows no bytes of the wire, so what recovery needs of a record stands in front of it.
/// `settled` tells a torn tail from damage: a frame that says its predecessor was synchronized
/// proves that the predecessor was whole once.
package struct SegmentFrame {
    package static let headBytes = 32
    /// Bytes of the longest frame.
    package static let bytesMax = bytes(around: InvalidationRecord.bytesMax)
    private static let alignment = 8

    package let sequence: SequenceNumber
    package let previousDigest: LogDigest
    package let settled: SequenceNumber
    /// The sealed bytes. Valid as long as those of the segment.
    package let record: UnsafeRawBufferPointer

    /// Bytes of a frame around a record of `recordBytes`.
    package static func bytes(around recordBytes: Int) -> Int {
        (headBytes + recordBytes + alignment - 1) & ~(alignment - 1)
    }

    package var bytes: Int { Self.bytes(around: record.count) }

    /// The digest of the log after this record.
    ///
    /// - Complexity: O(bytes).
    package var digest: LogDigest { LogDigest(StableHash.hash(record)) }

    package static func encode(
        _ sealed: SealedRecord, settled: SequenceNumber, into writer: inout ByteWriter
    ) {
        let start = writer.count
        writer.append(UInt32(0))
        writer.append(UInt32(sealed.bytes.count))
        writer.append(sealed.position.sequence.rawValue)
        writer.append(sealed.record.previousDigest.rawValue)
        writer.append(settled.rawValue)
        writer.append(sealed.bytes)
        writer.append(zeros: bytes(around: sealed.bytes.count) - headBytes - sealed.bytes.count)
        writer.patch(StoredChecksum.of(writer.bytes, from: start + 4), at: start)
    }

    /// Reads the frame that begins at `offset`; `nil` where none does, or not a whole one.
    package init?(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard offset >= 0, bytes.count - offset >= Self.headBytes else { return nil }
        let length = Int(StoredChecksum.read(bytes, at: offset + 4))
        guard (InvalidationLimits.recordBytesMin...InvalidationRecord.bytesMax).contains(length),
            bytes.count - offset >= Self.bytes(around: length)
        else { return nil }
        let sequence = StableHash.word(bytes, offset + 8)
        let settled = StableHash.word(bytes, offset + 24)
        guard 0 < sequence, sequence <= SequenceNumber.max.rawValue, settled < sequence else {
            return nil
        }
        let frame = UnsafeRawBufferPointer(
            rebasing: bytes[offset..<(offset + Self.bytes(around: length))])
        guard StoredChecksum.read(frame, at: 0) == StoredChecksum.of(frame, from: 4) else {
            return nil
        }
        self.sequence = SequenceNumber(sequence)
        self.settled = SequenceNumber(settled)
        previousDigest = LogDigest(StableHash.word(frame, 16))
        record = UnsafeRawBufferPointer(
            rebasing: frame[Self.headBytes..<(Self.headBytes + length)])
    }
}
