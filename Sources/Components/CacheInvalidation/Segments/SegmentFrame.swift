package import ByteCoding
package import CacheModel

/// One record as it lies in a segment: numbers in front of what the codec sealed, zeros behind it
/// up to the next multiple of eight.
///
///     offset  size  field
///          0     4  checksum         CRC-32C of everything behind it in the frame
///          4     4  recordBytes      48 … 65 536
///          8     8  salt             the segment's; in segments of format 1 it is not there, and
///                                    the rest begins here
///         16     8  sequence
///         24     8  previous digest
///         32     8  settled          what was synchronized before this frame was written
///         40     …  the record's bytes, as they are broadcast
///          …   0-7  zeros
///
/// The room knows no bytes of the wire, so what recovery needs of a record stands in front of it.
/// `settled` tells a torn tail from damage: a frame that says its predecessor was synchronized
/// proves that the predecessor was whole once.
package struct SegmentFrame {
    /// Bytes of the longest frame of any form.
    package static let bytesMax = bytesMax(of: InvalidationRecord.bytesMax)

    /// What stands in front of a record. Nothing of it is proven.
    struct Head {
        let recordBytes: Int
        let sequence: UInt64
        let settled: UInt64
    }

    package let form: FrameForm
    package let sequence: SequenceNumber
    package let previousDigest: LogDigest
    package let settled: SequenceNumber
    /// The sealed bytes. Valid as long as those of the segment.
    package let record: UnsafeRawBufferPointer

    /// Most bytes of a frame around a record of `recordBytes`.
    package static func bytesMax(of recordBytes: Int) -> Int {
        FileSalt.bytes + FrameForm.unsalted.frameBytes(around: recordBytes)
    }

    package var bytes: Int { form.frameBytes(around: record.count) }

    /// The digest of the log after this record.
    ///
    /// - Complexity: O(bytes).
    package var digest: LogDigest { LogDigest(StableHash.hash(record)) }

    package static func encode(
        _ sealed: SealedRecord, settled: SequenceNumber, in form: FrameForm,
        into writer: inout ByteWriter
    ) {
        let start = writer.count
        writer.append(UInt32(0))
        writer.append(UInt32(sealed.bytes.count))
        if let salt = form.salt { writer.append(salt.rawValue) }
        writer.append(sealed.position.sequence.rawValue)
        writer.append(sealed.record.previousDigest.rawValue)
        writer.append(settled.rawValue)
        writer.append(sealed.bytes)
        writer.append(zeros: start + form.frameBytes(around: sealed.bytes.count) - writer.count)
        writer.patch(StoredChecksum.of(writer.bytes, from: start + 4), at: start)
    }

    /// Reads what stands in front of the record at `offset`; `nil` where no frame of this form can
    /// begin, or not a whole one. Costs the same whatever the bytes say.
    static func head(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, in form: FrameForm
    ) -> Head? {
        guard offset >= 0, bytes.count - offset >= form.headBytes else { return nil }
        if let salt = form.salt, StableHash.word(bytes, offset + 8) != salt.rawValue { return nil }
        let length = Int(StoredChecksum.read(bytes, at: offset + 4))
        guard (InvalidationLimits.recordBytesMin...InvalidationRecord.bytesMax).contains(length),
            bytes.count - offset >= form.frameBytes(around: length)
        else { return nil }
        let numbers = offset + form.numbersOffset
        let head = Head(
            recordBytes: length, sequence: StableHash.word(bytes, numbers),
            settled: StableHash.word(bytes, numbers + 16))
        guard 0 < head.sequence, head.sequence <= SequenceNumber.max.rawValue,
            head.settled < head.sequence
        else { return nil }
        return head
    }

    /// Reads the frame that begins at `offset`; `nil` where none does, or not a whole one.
    package init?(_ bytes: UnsafeRawBufferPointer, at offset: Int, in form: FrameForm) {
        guard let head = Self.head(bytes, at: offset, in: form) else { return nil }
        let end = offset + form.frameBytes(around: head.recordBytes)
        let frame = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
        guard StoredChecksum.read(frame, at: 0) == StoredChecksum.of(frame, from: 4) else {
            return nil
        }
        self.form = form
        sequence = SequenceNumber(head.sequence)
        settled = SequenceNumber(head.settled)
        previousDigest = LogDigest(StableHash.word(frame, form.numbersOffset + 8))
        record = UnsafeRawBufferPointer(
            rebasing: frame[form.headBytes..<(form.headBytes + head.recordBytes)])
    }
}
