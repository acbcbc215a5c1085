/// The address of a value's part. Segment numbers are not reused, so it stays unambiguous.
struct PartPlace: Equatable {
    static let bytes = 16

    var segment: SegmentNumber
    /// Of its record, in the segment.
    var offset: Int
    /// Bytes of the value in it.
    var byteCount: Int

    /// Bytes of its record.
    var recordBytes: Int { Self.recordBytes(byteCount) }

    static func recordBytes(_ byteCount: Int) -> Int {
        (RecordHead.shortBytes + byteCount + 7) & ~7
    }
}
