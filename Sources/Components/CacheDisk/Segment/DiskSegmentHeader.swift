import ByteCoding

/// The first bytes of a segment, which identify it.
struct DiskSegmentHeader: Equatable {
    static let bytes = 32
    /// "MARTDSG1": the last character is the format number.
    private static let magic: UInt64 = 0x3147_5344_5452_414D

    var number: SegmentNumber
    var began: TierTime
    /// End of the previous segment's records; 0 if there is none. Proves that nothing was lost
    /// where that segment's footer is damaged.
    var previousEnd: Int

    init(number: SegmentNumber, began: TierTime, previousEnd: Int) {
        self.number = number
        self.began = began
        self.previousEnd = previousEnd
    }

    func encoded(_ seal: RecordSeal) -> [UInt8] {
        var writer = ByteWriter(capacityBytes: Self.bytes)
        writer.append(Self.magic)
        writer.append(UInt32(0))
        writer.append(UInt32(previousEnd))
        writer.append(number.rawValue)
        writer.append(began.milliseconds)
        let body = UnsafeRawBufferPointer(rebasing: writer.bytes[12...])
        writer.patch(seal.checksum(body, in: .none, at: 0), at: 8)
        return writer.array
    }

    /// `nil` if it is damaged, another tier's, or no header.
    init?(_ bytes: UnsafeRawBufferPointer, _ seal: RecordSeal) {
        guard bytes.count >= Self.bytes, StoredInteger.read(bytes, at: 0) == Self.magic else {
            return nil
        }
        let body = UnsafeRawBufferPointer(rebasing: bytes[12..<Self.bytes])
        guard
            StoredInteger.read(bytes, at: 8, as: UInt32.self)
                == seal.checksum(body, in: .none, at: 0)
        else { return nil }
        let began: UInt64 = StoredInteger.read(bytes, at: 24)
        guard let number = SegmentNumber(stored: StoredInteger.read(bytes, at: 16)),
            number > .none, began < 1 << 48
        else { return nil }
        self.number = number
        previousEnd = Int(StoredInteger.read(bytes, at: 12, as: UInt32.self))
        self.began = TierTime(milliseconds: began)
    }
}

/// Little-endian integers at fixed offsets.
enum StoredInteger {
    static func read<Value: FixedWidthInteger & BitwiseCopyable>(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, as: Value.Type = UInt64.self
    ) -> Value {
        Value(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
}
