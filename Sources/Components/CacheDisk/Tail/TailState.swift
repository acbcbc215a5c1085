import ByteCoding
import CacheModel

/// The tail's description of its log, exact at the moment the process died.
package struct TailState: Equatable {
    static let bytes = 72
    /// Copies, written one after the other: two of this state and two of the previous one, so that
    /// neither an interrupted write nor one damaged copy brings an older one back.
    static let copyOffsets = [0, 128, 256, 384]
    /// "MARTDTL1"
    private static let magic: UInt64 = 0x314C_5444_5452_414D

    /// Greater is newer.
    var counter: UInt64 = 0
    /// Applied invalidations: removals of keys up to here have been appended. Epoch 0: none.
    var applied = LogMark.none
    /// Segments before this one are void.
    var oldest = SegmentNumber(1)
    /// The newest segment that was started, and the end of the previous one's records.
    var newest = SegmentNumber.none
    var previousEnd = 0
    /// End of the newest one's records when this process started; the slots hold later ones.
    var settledEnd = 0
    /// A removal could not be appended: the log is not valid.
    var isUnsafe = false

    func encode(into room: UnsafeMutableRawBufferPointer, _ seal: RecordSeal) {
        var cursor = RecordCursor(room)
        cursor.put(Self.magic)
        cursor.put(UInt32(0))
        cursor.put(applied.position.epoch.rawValue)
        cursor.put(applied.position.sequence.rawValue)
        cursor.put(oldest.rawValue)
        cursor.put(UInt64(isUnsafe ? 1 : 0))
        cursor.put(counter)
        cursor.put(newest.rawValue)
        cursor.put(UInt32(previousEnd))
        cursor.put(UInt32(settledEnd))
        cursor.put(applied.digest.rawValue)
        let body = UnsafeRawBufferPointer(rebasing: room[12..<Self.bytes])
        let sum = seal.checksum(body, in: .none, at: 1)
        room.storeBytes(of: sum.littleEndian, toByteOffset: 8, as: UInt32.self)
    }

    init() {}

    /// `nil` if it is damaged, another tier's, or names impossible segments.
    init?(_ bytes: UnsafeRawBufferPointer, _ seal: RecordSeal, _ geometry: DiskGeometry) {
        let body = UnsafeRawBufferPointer(rebasing: bytes[12..<Self.bytes])
        guard StoredInteger.read(bytes, at: 0) == Self.magic,
            StoredInteger.read(bytes, at: 8, as: UInt32.self)
                == seal.checksum(body, in: .none, at: 1),
            let sequence = SequenceNumber(stored: StoredInteger.read(bytes, at: 16)),
            let oldest = SegmentNumber(stored: StoredInteger.read(bytes, at: 24)),
            let newest = SegmentNumber(stored: StoredInteger.read(bytes, at: 48)),
            oldest > .none, oldest <= newest.next,
            newest.next.rawValue - oldest.rawValue <= UInt64(geometry.segmentCount)
        else { return nil }
        applied = LogMark(
            position: LogPosition(
                epoch: Epoch(StoredInteger.read(bytes, at: 12, as: UInt32.self)),
                sequence: sequence),
            digest: LogDigest(StoredInteger.read(bytes, at: 64)))
        (self.oldest, self.newest) = (oldest, newest)
        isUnsafe = StoredInteger.read(bytes, at: 32) & 1 != 0
        counter = StoredInteger.read(bytes, at: 40)
        previousEnd = Int(StoredInteger.read(bytes, at: 56, as: UInt32.self))
        settledEnd = Int(StoredInteger.read(bytes, at: 60, as: UInt32.self))
        guard counter < DiskLimits.numberEnd else { return nil }
    }
}
