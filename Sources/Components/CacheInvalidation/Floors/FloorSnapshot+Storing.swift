package import ByteCoding
import CacheModel

/// A floor snapshot as it lies in a file: a head, the names, and each page in use with a checksum
/// of its own, so that it can be written piece by piece. docs/log-format.md has the bytes.
extension FloorSnapshot {
    private static let headBytes = 96
    /// "MARTFLR1": the last character is the number of the format.
    private static let magic: UInt64 = 0x3152_4C46_5452_414D

    /// How many pages there are to encode.
    package static var pageCount: Int { FloorPages.pageCount }

    /// Writes everything but the pages.
    package func encodeHead(into writer: inout ByteWriter) {
        let start = writer.count
        writer.append(zeros: Self.headBytes)
        encodeNames(into: &writer)
        let namesBytes = writer.count - start - Self.headBytes
        let checksum = StoredChecksum.of(writer.bytes, from: start + Self.headBytes)
        writer.patch(Self.magic, at: start)
        writer.patch(asOf.position.epoch.rawValue, at: start + 12)
        writer.patch(log.rawValue, at: start + 16)
        writer.patch(asOf.position.sequence.rawValue, at: start + 24)
        writer.patch(asOf.digest.rawValue, at: start + 32)
        writer.patch(completeSince.rawValue, at: start + 40)
        writer.patch(names.everything.rawValue, at: start + 48)
        writer.patch(UInt32(isCertain ? 1 : 0), at: start + 56)
        writer.patch(UInt16(names.namespaces.count), at: start + 60)
        writer.patch(UInt16(names.prefixes.count), at: start + 62)
        writer.patch(UInt32(table.pagesInUse), at: start + 64)
        writer.patch(UInt32(namesBytes), at: start + 68)
        writer.patch(checksum, at: start + 72)
        let head = UnsafeRawBufferPointer(
            rebasing: writer.bytes[start..<(start + Self.headBytes)])
        writer.patch(StoredChecksum.of(head, from: 12), at: start + 8)
    }

    private func encodeNames(into writer: inout ByteWriter) {
        for (namespace, sequence) in names.namespaces {
            writer.append(sequence.rawValue)
            writer.append(UInt8(namespace.name.utf8.count))
            writer.append(Array(namespace.name.utf8))
        }
        for (prefix, sequence) in names.prefixes {
            writer.append(sequence.rawValue)
            writer.append(UInt8(prefix.namespace.name.utf8.count))
            writer.append(UInt8(prefix.bytes.count))
            writer.append(Array(prefix.namespace.name.utf8))
            writer.append(prefix.bytes)
        }
    }

    /// Writes the pages in use among those that begin with `page`.
    ///
    /// - Returns: the page after the last that was looked at; ``pageCount`` at the end.
    package func encodePages(
        from page: Int, bytesMax: Int, into writer: inout ByteWriter
    ) -> Int {
        let end = writer.count + bytesMax
        var page = page
        while page < Self.pageCount, writer.count + FloorPages.storedPageBytes <= end {
            table.encode(page, into: &writer)
            page += 1
        }
        return page
    }

    /// Reads what was written; `nil` where it is damaged or of another format.
    package init?(stored bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.headBytes, StableHash.word(bytes, 0) == Self.magic else {
            return nil
        }
        let head = UnsafeRawBufferPointer(rebasing: bytes[..<Self.headBytes])
        let namesBytes = Int(StoredChecksum.read(head, at: 68))
        guard StoredChecksum.read(head, at: 8) == StoredChecksum.of(head, from: 12),
            bytes.count - Self.headBytes >= namesBytes,
            let asOf = Self.sequence(head, 24), let since = Self.sequence(head, 40),
            let everything = Self.sequence(head, 48), since <= asOf
        else { return nil }
        let position = LogPosition(epoch: Epoch(StoredChecksum.read(head, at: 12)), sequence: asOf)
        self.init(
            of: LogID(StableHash.word(head, 16)),
            at: LogMark(position: position, digest: LogDigest(StableHash.word(head, 32))),
            completeSince: since, isCertain: StoredChecksum.read(head, at: 56) == 1)
        let pagesStart = Self.headBytes + namesBytes
        let section = UnsafeRawBufferPointer(rebasing: bytes[Self.headBytes..<pagesStart])
        let pages = UnsafeRawBufferPointer(rebasing: bytes[pagesStart...])
        guard StoredChecksum.read(head, at: 72) == StoredChecksum.of(section, from: 0),
            let names = FloorNames(
                stored: section, namespaces: Self.half(head, 60), prefixes: Self.half(head, 62)),
            let table = FloorPages(stored: pages, pages: Int(StoredChecksum.read(head, at: 64)))
        else { return nil }
        self.names = names
        self.names.raiseEverything(to: everything)
        self.table = table
    }

    private static func sequence(
        _ bytes: UnsafeRawBufferPointer, _ offset: Int
    ) -> SequenceNumber? {
        let sequence = SequenceNumber(StableHash.word(bytes, offset))
        return sequence <= .max ? sequence : nil
    }

    private static func half(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> Int {
        Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
    }
}

extension FloorNames {
    fileprivate init?(stored bytes: UnsafeRawBufferPointer, namespaces: Int, prefixes: Int) {
        self.init()
        var reader = ByteReader(bytes)
        do throws(CodingDamage) {
            for _ in 0..<namespaces {
                guard let sequence = try Self.sequence(&reader) else { return nil }
                let name = try reader.bytes(Int(try reader.integer(UInt8.self)))
                guard let namespace = Self.namespace(name) else { return nil }
                raise(namespace, to: sequence)
            }
            for _ in 0..<prefixes {
                guard let sequence = try Self.sequence(&reader) else { return nil }
                let nameBytes = Int(try reader.integer(UInt8.self))
                let prefixBytes = Int(try reader.integer(UInt8.self))
                guard let namespace = Self.namespace(try reader.bytes(nameBytes)) else {
                    return nil
                }
                let bytes = [UInt8](try reader.bytes(prefixBytes))
                raise(Prefix(namespace: namespace, bytes: bytes), to: sequence)
            }
        } catch {
            return nil
        }
        guard reader.isAtEnd else { return nil }
    }

    /// `nil` for a number that no record has.
    private static func sequence(
        _ reader: inout ByteReader
    ) throws(CodingDamage) -> SequenceNumber? {
        let sequence = SequenceNumber(try reader.integer(UInt64.self))
        return sequence <= .max ? sequence : nil
    }

    private static func namespace(_ bytes: UnsafeRawBufferPointer) -> Namespace? {
        Namespace(String(decoding: bytes, as: UTF8.self))
    }
}
