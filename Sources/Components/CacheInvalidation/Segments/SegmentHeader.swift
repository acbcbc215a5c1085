package import ByteCoding
package import CacheModel

/// The first 64 bytes of a segment: the log of its records, and the mark that they follow.
///
///     offset  size  field
///          0     8  magic           "MARTSEG2"; "MARTSEG1" in format 1, which has no salt
///          8     4  checksum        CRC-32C of bytes 12 … 63
///         12     4  epoch           from 1
///         16     8  log id          never 0
///         24     8  base sequence   of the record before the first one here
///         32     8  base digest
///         40     8  created         seconds since 1970
///         48     8  salt            in each frame, too; never 0
///         56     8  reserved, 0
///
/// Format 1 is read and written on with; every new segment is of format 2.
package struct SegmentHeader: Hashable, Sendable {
    package static let bytes = 64
    /// "MARTSEG2": the last character is the number of the format.
    private static let magic: UInt64 = 0x3247_4553_5452_414D
    /// "MARTSEG1".
    private static let unsaltedMagic: UInt64 = 0x3147_4553_5452_414D

    package let log: LogID
    /// Where the log stood when the segment was begun.
    package let base: LogMark
    /// Wall time. No record of an earlier segment is younger.
    package let createdAt: UInt64
    /// How its frames lie.
    package let form: FrameForm

    package init(log: LogID, base: LogMark, createdAt: UInt64, form: FrameForm) {
        self.log = log
        self.base = base
        self.createdAt = createdAt
        self.form = form
    }

    package var name: SegmentName { SegmentName(base: base.position) }

    package func encode(into writer: inout ByteWriter) {
        let start = writer.count
        writer.append(form == .unsalted ? Self.unsaltedMagic : Self.magic)
        writer.append(UInt32(0))
        writer.append(base.position.epoch.rawValue)
        writer.append(log.rawValue)
        writer.append(base.position.sequence.rawValue)
        writer.append(base.digest.rawValue)
        writer.append(createdAt)
        writer.append(form.salt?.rawValue ?? 0)
        writer.append(zeros: 8)
        writer.patch(StoredChecksum.of(writer.bytes, from: start + 12), at: start + 8)
    }

    /// Whether this is a segment of a later format: the last character of the magic is its number.
    package static func isOfNewerFormat(_ bytes: UnsafeRawBufferPointer) -> Bool {
        StoredMagic.isLater(bytes, than: magic)
    }

    /// Reads the front of a segment; `nil` where it is damaged or of another format.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.bytes else { return nil }
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<Self.bytes])
        guard let form = Self.form(head) else { return nil }
        guard StoredChecksum.read(head, at: 8) == StoredChecksum.of(head, from: 12) else {
            return nil
        }
        let epoch = Epoch(StoredChecksum.read(head, at: 12))
        let log = LogID(StableHash.word(head, 16))
        let sequence = StableHash.word(head, 24)
        guard epoch != .none, log != .none, sequence <= SequenceNumber.max.rawValue else {
            return nil
        }
        let position = LogPosition(epoch: epoch, sequence: SequenceNumber(sequence))
        self.log = log
        base = LogMark(position: position, digest: LogDigest(StableHash.word(head, 32)))
        createdAt = StableHash.word(head, 40)
        self.form = form
    }

    private static func form(_ head: UnsafeRawBufferPointer) -> FrameForm? {
        switch StableHash.word(head, 0) {
        case unsaltedMagic: .unsalted
        case magic: FileSalt(rawValue: StableHash.word(head, 48)).map { .salted($0) }
        default: nil
        }
    }
}
