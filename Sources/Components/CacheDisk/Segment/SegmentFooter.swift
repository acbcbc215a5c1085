import ByteCoding

/// The records of a sealed segment, in log order: enough to recover and reclaim it without reading
/// a record.
struct SegmentFooter: ~Copyable {
    static let entryBytes = 12
    static let lastBlockBytes = 32
    /// "MARTDFT1"
    private static let magic: UInt64 = 0x3154_4644_5452_414D

    /// One record.
    struct Entry: Equatable {
        /// The fingerprint zero for a reset.
        var fingerprint: Fingerprint
        var kind: RecordKind
        var lengthClass: LengthClass
        /// In the segment.
        var offset: Int
        /// Tag of the namespace that the record counts for.
        var tag = NamespaceTag.unknown
    }

    private var entries = ByteWriter()
    private(set) var count = 0

    /// Bytes of a footer with so many entries.
    static func bytes(_ count: Int) -> Int { count * entryBytes + lastBlockBytes }

    /// Memory used while the segment is written.
    var memoryBytes: Int { entries.count }

    mutating func append(_ entry: Entry) {
        entries.append(
            entry.fingerprint.rawValue | UInt64(entry.kind.rawValue) << 40
                | UInt64(entry.lengthClass.rawValue) << 43 | entry.tag.bits)
        entries.append(UInt32(entry.offset))
        count += 1
    }

    mutating func removeAll() {
        entries.removeAll()
        count = 0
    }

    func encoded(_ number: SegmentNumber, end: Int, seal: RecordSeal) -> [UInt8] {
        var writer = ByteWriter(capacityBytes: Self.bytes(count))
        writer.append(entries.bytes)
        let block = writer.count
        writer.append(Self.magic)
        writer.append(UInt32(0))
        writer.append(UInt32(count))
        writer.append(number.rawValue)
        writer.append(UInt32(end))
        writer.append(UInt32(0))
        writer.patch(Self.checksum(writer.bytes, block, number, seal), at: block + 8)
        return writer.array
    }

    private static func checksum(
        _ bytes: UnsafeRawBufferPointer, _ block: Int, _ number: SegmentNumber, _ seal: RecordSeal
    ) -> UInt32 {
        let entries = UnsafeRawBufferPointer(rebasing: bytes[0..<block])
        let rest = UnsafeRawBufferPointer(rebasing: bytes[(block + 12)...])
        return seal.checksum(entries, in: number, at: block)
            ^ seal.checksum(rest, in: number, at: block + 12)
    }

    /// The number of entries according to a last block; `nil` if it is not this segment's.
    static func count(
        _ lastBlock: UnsafeRawBufferPointer, _ number: SegmentNumber, segmentBytes: Int
    ) -> Int? {
        guard lastBlock.count == lastBlockBytes,
            StoredInteger.read(lastBlock, at: 0) == magic,
            StoredInteger.read(lastBlock, at: 16) == number.rawValue
        else { return nil }
        let count = Int(StoredInteger.read(lastBlock, at: 12, as: UInt32.self))
        return bytes(count) <= segmentBytes - DiskSegmentHeader.bytes ? count : nil
    }

    /// End of the records; `nil` if the footer is damaged, another's, or impossible.
    ///
    /// - Parameter bytes: all of a footer.
    static func end(
        _ bytes: UnsafeRawBufferPointer, _ number: SegmentNumber, seal: RecordSeal,
        segmentBytes: Int
    ) -> Int? {
        let block = bytes.count - lastBlockBytes
        guard block >= 0, block % entryBytes == 0,
            StoredInteger.read(bytes, at: block + 8, as: UInt32.self)
                == checksum(bytes, block, number, seal)
        else { return nil }
        let end = end(bytes)
        return end >= DiskSegmentHeader.bytes && end <= segmentBytes - bytes.count ? end : nil
    }

    private static func end(_ bytes: UnsafeRawBufferPointer) -> Int {
        Int(StoredInteger.read(bytes, at: bytes.count - lastBlockBytes + 24, as: UInt32.self))
    }

    /// Start of an entry's record according to a verified footer; its bounds are not checked.
    static func offset(_ bytes: UnsafeRawBufferPointer, _ number: Int) -> Int {
        Int(StoredInteger.read(bytes, at: number * entryBytes + 8, as: UInt32.self))
    }

    /// An entry of a verified footer. `nil` if it is impossible.
    ///
    /// - Parameter bytes: all of the footer.
    static func entry(_ bytes: UnsafeRawBufferPointer, _ number: Int) -> Entry? {
        let word: UInt64 = StoredInteger.read(bytes, at: number * entryBytes)
        let offset = offset(bytes, number)
        guard let fingerprint = Fingerprint(stored: word & (1 << 36 - 1)),
            let kind = RecordKind(rawValue: UInt8(word >> 40 & 7)),
            let lengthClass = LengthClass(rawValue: UInt8(word >> 43 & 63)),
            offset >= DiskSegmentHeader.bytes, offset % RecordAddress.unitBytes == 0,
            offset <= end(bytes) - RecordHead.shortBytes
        else { return nil }
        return Entry(
            fingerprint: fingerprint, kind: kind, lengthClass: lengthClass, offset: offset,
            tag: NamespaceTag(in: word))
    }
}
