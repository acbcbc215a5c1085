package import ByteCoding
package import CacheModel

/// The state of a log, in a file beside its segments: 64 bytes that are replaced as a whole when
/// the log is opened, begins an epoch, or is closed.
///
///     offset  size  field
///          0     8  magic        "MARTLOG1"; "MARTLOG2" if the log assigns slots, or may begin to
///          8     4  checksum     CRC-32C of bytes 12 … 63
///         12     4  epoch
///         16     8  log id
///         24     8  sequence
///         32     8  digest
///         40     4  lease        milliseconds, the longest that may still be held
///         44     4  isClosed     1: closed in order, and nothing was written since
///         48     8  file         the number of the file the stamp was written to
///         56     8  birth        when that file was made, nanoseconds since 1970; 0 unknown
///
/// The last two make a stamp know its own file. A copy of it lies in another one: that is how a
/// restored log is noticed.
package struct LogStamp: Hashable, Sendable {
    package static let bytes = 64
    private static let magic: UInt64 = 0x3147_4F4C_5452_414D
    /// A release before slots refuses it: it would serve the log, and skip its slot records.
    private static let magicWithSlots: UInt64 = 0x3247_4F4C_5452_414D

    /// Which file of the system this is. Copying makes another one.
    package struct Imprint: Hashable, Sendable {
        package let file: UInt64
        package let birth: UInt64

        package init(file: UInt64, birth: UInt64) {
            self.file = file
            self.birth = birth
        }
    }

    package var log: LogID
    /// The mark of the log. A log that is closed ends there; one that is not has reached it.
    package var mark: LogMark
    package var leaseMilliseconds: UInt32
    package var isClosed: Bool
    /// Whether the log assigns slots, or may begin to.
    package var hasSlots = false
    package var imprint: Imprint

    package init(
        log: LogID, mark: LogMark, leaseMilliseconds: UInt32, isClosed: Bool, imprint: Imprint
    ) {
        self.log = log
        self.mark = mark
        self.leaseMilliseconds = leaseMilliseconds
        self.isClosed = isClosed
        self.imprint = imprint
    }

    package func encode(into writer: inout ByteWriter) {
        let start = writer.count
        writer.append(hasSlots ? Self.magicWithSlots : Self.magic)
        writer.append(UInt32(0))
        writer.append(mark.position.epoch.rawValue)
        writer.append(log.rawValue)
        writer.append(mark.position.sequence.rawValue)
        writer.append(mark.digest.rawValue)
        writer.append(leaseMilliseconds)
        writer.append(UInt32(isClosed ? 1 : 0))
        writer.append(imprint.file)
        writer.append(imprint.birth)
        writer.patch(StoredChecksum.of(writer.bytes, from: start + 12), at: start + 8)
    }

    /// Whether this is a stamp of a later format: the last character of the magic is its number.
    package static func isOfNewerFormat(_ bytes: UnsafeRawBufferPointer) -> Bool {
        StoredMagic.isLater(bytes, than: magicWithSlots)
    }

    /// Reads a stamp; `nil` where it is damaged or of another format.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.bytes else { return nil }
        let found = StableHash.word(bytes, 0)
        guard found == Self.magic || found == Self.magicWithSlots,
            StoredChecksum.read(bytes, at: 8) == StoredChecksum.of(bytes, from: 12)
        else { return nil }
        let sequence = StableHash.word(bytes, 24)
        guard sequence <= SequenceNumber.max.rawValue else { return nil }
        let position = LogPosition(
            epoch: Epoch(StoredChecksum.read(bytes, at: 12)), sequence: SequenceNumber(sequence))
        log = LogID(StableHash.word(bytes, 16))
        mark = LogMark(position: position, digest: LogDigest(StableHash.word(bytes, 32)))
        leaseMilliseconds = StoredChecksum.read(bytes, at: 40)
        isClosed = StoredChecksum.read(bytes, at: 44) == 1
        hasSlots = found == Self.magicWithSlots
        imprint = Imprint(file: StableHash.word(bytes, 48), birth: StableHash.word(bytes, 56))
    }
}
