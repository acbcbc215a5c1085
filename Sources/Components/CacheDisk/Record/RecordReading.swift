import ByteCoding
import CacheModel

/// Reads records and verifies their checksums.
struct RecordReading {
    let seal: RecordSeal
    let segment: SegmentNumber

    /// A record with a valid checksum.
    enum Proven {
        case entry(DiskEntry, bytes: Int)
        /// An entry with the list as its value.
        case divided(DiskEntry, PartList, bytes: Int)
        case part(Fingerprint, NamespaceTag, UnsafeRawBufferPointer, bytes: Int)
        case tombstone(Fingerprint)
        case reset

        /// Its bytes in the log.
        var bytes: Int {
            switch self {
            case .entry(_, let bytes), .divided(_, _, let bytes), .part(_, _, _, let bytes): bytes
            case .tombstone, .reset: RecordHead.shortBytes
            }
        }
    }

    /// How many more bytes are needed to verify the record that starts here.
    enum Look {
        case whole(Int)
        case short(Int)
        case nothing
    }

    /// Inspects the first bytes of a possible record.
    ///
    /// - Parameters:
    ///   - bytes: start with it; may end anywhere.
    ///   - limit: most bytes it may have.
    static func look(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Look {
        guard bytes.count >= RecordHead.shortBytes else {
            return limit >= RecordHead.shortBytes ? .short(RecordHead.shortBytes) : .nothing
        }
        let head = RecordHead(bytes, at: 0)
        switch head.kind {
        case nil: return .nothing
        case .tombstone, .reset: return .whole(RecordHead.shortBytes)
        case .part:
            let exact = PartPlace.recordBytes(head.valueBytes)
            guard exact <= limit else { return .nothing }
            return bytes.count >= exact ? .whole(exact) : .short(exact)
        case .entry, .divided:
            guard let length = length(of: head, bytes) else { return .nothing }
            guard length.least <= limit else { return .nothing }
            if let exact = length.exact {
                guard exact <= limit else { return .nothing }
                return bytes.count >= exact ? .whole(exact) : .short(exact)
            }
            return .short(length.least)
        }
    }

    /// The record that starts at `offset` of the segment; `nil` if there is none.
    ///
    /// - Parameter bytes: start with it and contain it.
    /// - Complexity: O(bytes of the record).
    func record(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Proven? {
        guard case .whole(let length) = Self.look(bytes, limit: bytes.count) else { return nil }
        let head = RecordHead(bytes, at: 0)
        let body = UnsafeRawBufferPointer(rebasing: bytes[4..<length])
        guard head.checksum == seal.checksum(body, in: segment, at: offset) else { return nil }
        return Self.content(head, UnsafeRawBufferPointer(rebasing: bytes[0..<length]))
    }

    /// - Parameter bytes: exactly the record.
    private static func content(
        _ head: RecordHead, _ bytes: UnsafeRawBufferPointer
    ) -> Proven? {
        func fingerprint() -> Fingerprint? {
            Fingerprint(stored: StoredInteger.read(bytes, at: 8))
        }
        switch head.kind {
        case .entry: return entry(head, bytes).map { .entry($0, bytes: bytes.count) }
        case .divided:
            guard let entry = entry(head, bytes), let list = PartList(entry.value) else {
                return nil
            }
            return .divided(entry, list, bytes: bytes.count)
        case .part:
            let from = RecordHead.shortBytes
            let value = UnsafeRawBufferPointer(rebasing: bytes[from..<from + head.valueBytes])
            let word: UInt64 = StoredInteger.read(bytes, at: 8)
            return Fingerprint(stored: word & ~NamespaceTag.mask).map {
                .part($0, NamespaceTag(in: word), value, bytes: bytes.count)
            }
        case .tombstone: return fingerprint().map { .tombstone($0) }
        case .reset: return .reset
        case nil: return nil
        }
    }

    /// The entry of an already verified record, possibly with a list of parts as its value; `nil`
    /// for another kind.
    ///
    /// - Parameter bytes: start with it and contain it.
    static func entry(_ bytes: UnsafeRawBufferPointer) -> DiskEntry? {
        guard case .whole(let length) = look(bytes, limit: bytes.count) else { return nil }
        let head = RecordHead(bytes, at: 0)
        guard head.kind == .entry || head.kind == .divided else { return nil }
        return entry(head, UnsafeRawBufferPointer(rebasing: bytes[0..<length]))
    }

    private static func entry(
        _ head: RecordHead, _ bytes: UnsafeRawBufferPointer
    ) -> DiskEntry? {
        do throws(CodingDamage) {
            var reader = ByteReader(bytes)
            _ = try reader.bytes(8)
            let word = try reader.integer(UInt16.self)
            let sections = RecordHead.Sections(rawValue: word & ~RecordHead.keyMask)
            let expires = try reader.integer48()
            let fill = try reader.integer48()
            let stored = try reader.integer48()
            var entry = DiskEntry(
                key: try reader.bytes(Int(word & RecordHead.keyMask) + 1),
                value: UnsafeRawBufferPointer(start: nil, count: 0))
            entry.expires = expires == 0 ? nil : TierTime(milliseconds: expires)
            entry.fill = fill
            entry.stored = TierTime(milliseconds: stored)
            entry.isUnfenced = head.isUnfenced
            if sections.contains(.namespace) { entry.namespace = try reader.counted() }
            if sections.contains(.version) { entry.version = try reader.integer(UInt64.self) }
            if sections.contains(.tags) {
                let count = try reader.integer(UInt8.self)
                for _ in 0..<(count & RecordHead.tagCountMask) {
                    entry.tags.append(try reader.counted())
                }
                if count & RecordHead.described != 0 {
                    entry.representation = try reader.representation()
                    guard !entry.representation.isEmpty else { return nil }
                }
            }
            if sections.contains(.validator) { entry.validator = try reader.counted() }
            if head.isSoft { entry.softSince = TierTime(milliseconds: try reader.integer48()) }
            entry.value = try reader.bytes(head.valueBytes)
            return entry.isInRange && entry.recordBytes == bytes.count ? entry : nil
        } catch {
            return nil
        }
    }

    /// The lengths of the sections, which precede them.
    private static func length(
        of head: RecordHead, _ bytes: UnsafeRawBufferPointer
    ) -> (least: Int, exact: Int?)? {
        let word = UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt16.self))
        let sections = RecordHead.Sections(rawValue: word & ~RecordHead.keyMask)
        var end = RecordHead.bytes + Int(word & RecordHead.keyMask) + 1
        let rest = head.valueBytes + (head.isSoft ? 6 : 0)
        func least() -> Int { (end + rest + 7) & ~7 }
        func counted() -> Bool {
            guard end < bytes.count else {
                end += 1
                return false
            }
            end += 1 + Int(bytes[end])
            return true
        }
        if sections.contains(.namespace), !counted() { return (least(), nil) }
        if sections.contains(.version) { end += 8 }
        if sections.contains(.tags) {
            guard end < bytes.count else { return (least() + 8, nil) }
            let count = bytes[end]
            end += 1
            let lengths =
                Int(count & RecordHead.tagCountMask)
                + (count & RecordHead.described == 0 ? 0 : Representation.fieldCount)
            for _ in 0..<lengths where !counted() { return (least(), nil) }
        }
        if sections.contains(.validator), !counted() { return (least(), nil) }
        return (least(), least())
    }
}

extension ByteReader {
    mutating func integer48() throws(CodingDamage) -> UInt64 {
        let low = try integer(UInt32.self)
        return UInt64(low) | UInt64(try integer(UInt16.self)) << 32
    }

    /// Type, encoding and language, each as ``counted()`` reads it; they are not validated.
    mutating func representation() throws(CodingDamage) -> UnsafeRawBufferPointer {
        var ahead = self
        var bytes = 0
        for _ in 0..<Representation.fieldCount { bytes += 1 + (try ahead.counted()).count }
        return try self.bytes(bytes)
    }

    /// A length of one byte, and so many bytes.
    mutating func counted() throws(CodingDamage) -> UnsafeRawBufferPointer {
        try bytes(Int(try integer(UInt8.self)))
    }
}
