import ByteCoding
import CacheModel

/// Reads a journal's records from its beginning, up to the first that is not whole.
struct JournalScan {
    private let file: UnsafeRawBufferPointer
    private(set) var offset = JournalFormat.headerBytes
    private var nextRecord: UInt64

    init(_ file: UnsafeRawBufferPointer) throws(JournalDamage) {
        self.file = file
        guard file.count >= JournalFormat.headerBytes,
            file.prefix(JournalFormat.magic.count).elementsEqual(JournalFormat.magic)
        else { throw .notAJournal }
        let version = file.loadUnaligned(fromByteOffset: 8, as: UInt32.self).littleEndian
        guard version == JournalFormat.version else { throw .newerForm(version) }
        let checksum = file.loadUnaligned(fromByteOffset: 28, as: UInt32.self).littleEndian
        guard CRC32C.checksum(UnsafeRawBufferPointer(rebasing: file[..<28])) == checksum else {
            throw .damaged(at: 0)
        }
        nextRecord = file.loadUnaligned(fromByteOffset: 16, as: UInt64.self).littleEndian
    }

    /// `nil` once a record is not whole.
    mutating func next() -> JournalRecord? {
        guard let record = record(at: offset), record.number == nextRecord,
            let decoded = Self.decode(record.body)
        else { return nil }
        offset += record.bytes
        nextRecord += 1
        return decoded
    }

    /// Whether a whole record lies behind the one that is not, and says that this one survived.
    ///
    /// - Complexity: O(bytes that are left).
    var isAnsweredForBehind: Bool {
        var place = offset + 1
        while place + JournalFormat.recordHeaderBytes <= file.count {
            if let record = record(at: place), record.number > nextRecord,
                record.synchronizedBytes > offset
            {
                return true
            }
            place += 1
        }
        return false
    }

    private struct Found {
        var bytes: Int
        var number: UInt64
        var synchronizedBytes: Int
        /// From the kind on.
        var body: UnsafeRawBufferPointer
    }

    private func record(at place: Int) -> Found? {
        guard place + JournalFormat.recordHeaderBytes <= file.count else { return nil }
        let bytes = Int(file.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self).littleEndian)
        guard (JournalFormat.recordHeaderBytes...WriteLimits.recordBytesMax).contains(bytes),
            place + bytes <= file.count
        else { return nil }
        let checksum = file.loadUnaligned(fromByteOffset: place, as: UInt32.self).littleEndian
        let checked = UnsafeRawBufferPointer(rebasing: file[(place + 4)..<(place + bytes)])
        guard CRC32C.checksum(checked) == checksum else { return nil }
        let number = file.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self).littleEndian
        guard number <= JournalFormat.numberMax else { return nil }
        let safe = file.loadUnaligned(fromByteOffset: place + 16, as: UInt64.self).littleEndian
        return Found(
            bytes: bytes, number: number, synchronizedBytes: Int(clamping: safe),
            body: UnsafeRawBufferPointer(rebasing: file[(place + 24)..<(place + bytes)]))
    }

    private static func decode(_ body: UnsafeRawBufferPointer) -> JournalRecord? {
        do throws(CodingDamage) {
            var reader = ByteReader(body)
            let kind = try reader.integer(UInt8.self)
            _ = try reader.bytes(7)
            let number = WriteNumber(try reader.integer(UInt64.self))
            guard number.rawValue <= JournalFormat.numberMax else { return nil }
            switch JournalFormat.Kind(rawValue: kind) {
            case .put: return try write(number, isPut: true, &reader)
            case .delete: return try write(number, isPut: false, &reader)
            case .done: return try trace(behind: number, &reader) ?? .done(number)
            case .rejected:
                let status = try reader.integer(UInt16.self)
                let count = Int(try reader.integer(UInt16.self))
                let words = [UInt8](try reader.bytes(count))
                return .rejected(number, WriteRejection(status: status, words: words))
            case nil: return nil
            }
        } catch {
            return nil
        }
    }

    /// What stands behind the number of no write; `nil`: nothing that is known.
    private static func trace(
        behind number: WriteNumber, _ reader: inout ByteReader
    ) throws(CodingDamage) -> JournalRecord? {
        guard number == JournalFormat.noWrite,
            reader.remainingBytes >= 8 + JournalFormat.traceBytes
        else { return nil }
        let write = WriteNumber(try reader.integer(UInt64.self))
        let (high, low) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
        let (span, flags) = (try reader.integer(UInt64.self), try reader.integer(UInt8.self))
        let state = String(decoding: try reader.bytes(reader.remainingBytes), as: UTF8.self)
        return TraceContext(high: high, low: low, span: span, flags: flags, state: state)
            .map { .trace(write, $0) }
    }

    private static func write(
        _ number: WriteNumber, isPut: Bool, _ reader: inout ByteReader
    ) throws(CodingDamage) -> JournalRecord? {
        let name = OperationID(
            high: try reader.integer(UInt64.self), low: try reader.integer(UInt64.self))
        let at = try reader.integer(UInt64.self)
        let namespaceBytes = Int(try reader.integer(UInt16.self))
        let keyBytes = Int(try reader.integer(UInt16.self))
        let namespace = Namespace(
            String(decoding: try reader.bytes(namespaceBytes), as: UTF8.self))
        let key = CacheKey(bytes: [UInt8](try reader.bytes(keyBytes)))
        let value = [UInt8](try reader.bytes(reader.remainingBytes))
        guard let namespace, let key else { return nil }
        let write = OriginWrite(
            namespace: namespace, key: key, change: isPut ? .put(value) : .delete, name: name)
        return .write(number, write, at: at)
    }
}
