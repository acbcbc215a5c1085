import ByteCoding

/// The ordered parts of a value that is longer than a record. docs/disk-format.md has the bytes:
/// they are the value of the entry's own record.
struct PartList: Equatable {
    private static let headBytes = 8

    private(set) var places: [PartPlace] = []
    /// Value bytes of all parts together.
    private(set) var valueBytes = 0

    /// Bytes of a list of so many parts.
    static func bytes(_ count: Int) -> Int { headBytes + count * PartPlace.bytes }

    init() {}

    mutating func append(_ place: PartPlace) {
        places.append(place)
        valueBytes += place.byteCount
    }

    var encoded: [UInt8] {
        var writer = ByteWriter(capacityBytes: Self.bytes(places.count))
        writer.append(UInt64(valueBytes))
        for place in places {
            writer.append(place.segment.rawValue)
            writer.append(UInt32(place.offset))
            writer.append(UInt32(place.byteCount))
        }
        return writer.array
    }

    /// `nil` for an impossible list. Whether a place is inside a segment, the geometry decides.
    init?(_ bytes: UnsafeRawBufferPointer) {
        let rest = bytes.count - Self.headBytes
        guard rest > 0, rest % PartPlace.bytes == 0 else { return nil }
        for from in stride(from: Self.headBytes, to: bytes.count, by: PartPlace.bytes) {
            let place = PartPlace(
                segment: SegmentNumber(StoredInteger.read(bytes, at: from)),
                offset: Int(StoredInteger.read(bytes, at: from + 8, as: UInt32.self)),
                byteCount: Int(StoredInteger.read(bytes, at: from + 12, as: UInt32.self)))
            guard place.segment != .none, place.offset % RecordAddress.unitBytes == 0,
                place.byteCount > 0, place.byteCount <= DiskLimits.valueBytesMax - valueBytes
            else { return nil }
            append(place)
        }
        guard StoredInteger.read(bytes, at: 0) == UInt64(valueBytes) else { return nil }
    }
}

/// The address of a value's part. Segment numbers are not reused, so it stays unambiguous.
struct PartPlace: Equatable {
    static let bytes = 16

    var segment: SegmentNumber
    /// Of its record, in the segment.
    var offset: Int
    /// Bytes of the value in it.
    var byteCount: Int

    var recordBytes: Int { Self.recordBytes(byteCount) }

    static func recordBytes(_ byteCount: Int) -> Int {
        (RecordHead.shortBytes + byteCount + 7) & ~7
    }
}
