import ByteCoding

/// Marks a place of the file as without space: behind the segment header, in the first page of the
/// place, which keeps its space.
struct WithdrawalMark: Equatable {
    static let bytes = 32
    /// Offset in the place.
    static let offset = DiskSegmentHeader.bytes
    /// "MARTDWD1"
    private static let magic: UInt64 = 0x3144_5744_5452_414D

    /// The withdrawn place.
    let place: Int

    init(place: Int) { self.place = place }

    func encoded(_ seal: RecordSeal) -> [UInt8] {
        var writer = ByteWriter(capacityBytes: Self.bytes)
        writer.append(Self.magic)
        writer.append(UInt32(0))
        writer.append(UInt32(place))
        writer.append(UInt64(0))
        writer.append(UInt64(0))
        let body = UnsafeRawBufferPointer(rebasing: writer.bytes[12...])
        writer.patch(seal.checksum(body, in: .none, at: 4), at: 8)
        return writer.array
    }

    /// Overwrites the mark once the space is there again.
    static let erased = [UInt8](repeating: 0, count: bytes)

    /// `nil` if it is damaged, another tier's or place's, or absent.
    ///
    /// - Parameter bytes: of the place, from its start.
    init?(_ bytes: UnsafeRawBufferPointer, at place: Int, _ seal: RecordSeal) {
        guard bytes.count >= Self.offset + Self.bytes else { return nil }
        let mark = UnsafeRawBufferPointer(rebasing: bytes[Self.offset..<Self.offset + Self.bytes])
        let body = UnsafeRawBufferPointer(rebasing: mark[12...])
        guard StoredInteger.read(mark, at: 0) == Self.magic,
            StoredInteger.read(mark, at: 8, as: UInt32.self)
                == seal.checksum(body, in: .none, at: 4),
            StoredInteger.read(mark, at: 12, as: UInt32.self) == UInt32(place)
        else { return nil }
        self.place = place
    }
}
