/// Where a part of a value lies. Numbers of segments are not used twice, so it never means another.
struct PartPlace: Equatable {
    static let bytes = 16

    var segment: SegmentNumber
    /// Of its record in the segment.
    var offset: Int
    /// Of the value.
    var byteCount: Int

    /// Bytes of its record.
    var recordBytes: Int { Self.recordBytes(byteCount) }

    static func recordBytes(_ byteCount: Int) -> Int {
        (RecordHead.shortBytes + byteCount + 7) & ~7
    }
}
