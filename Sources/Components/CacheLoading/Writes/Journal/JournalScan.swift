import ByteCoding
import CacheModel

/// Reads a journal's records from its beginning, up to the first incomplete one.
///
/// The front of a record is compared before its checksum is computed: the file's salt, then lengths
/// and numbers. In format 1, which has no salt, a value may contain bytes that look like records;
/// if more of them do than there can be records, the file counts as damaged.
package struct JournalScan {
    private let file: UnsafeRawBufferPointer
    /// `nil`: format 1.
    private let salt: FileSalt?
    package private(set) var offset: Int
    private var nextRecord: UInt64
    /// Number of bytes covered by the checksums computed so far.
    package private(set) var checkedBytes = 0

    package init(_ file: UnsafeRawBufferPointer) throws(JournalDamage) {
        self.file = file
        guard file.count >= JournalFormat.headerBytes(isSalted: false),
            file.prefix(JournalFormat.magic.count).elementsEqual(JournalFormat.magic)
        else { throw .notAJournal }
        let version = Self.number(file, at: 8, as: UInt32.self)
        guard version <= JournalFormat.describedVersion, version >= JournalFormat.unsaltedVersion
        else { throw .newerForm(version) }
        let isSalted = version != JournalFormat.unsaltedVersion
        offset = JournalFormat.headerBytes(isSalted: isSalted)
        guard file.count >= offset else { throw .notAJournal }
        let checksum = Self.number(file, at: offset - 4, as: UInt32.self)
        guard CRC32C.checksum(UnsafeRawBufferPointer(rebasing: file[..<(offset - 4)])) == checksum
        else { throw .damaged(at: 0) }
        nextRecord = Self.number(file, at: 16, as: UInt64.self)
        salt = isSalted ? FileSalt(rawValue: Self.number(file, at: 24, as: UInt64.self)) : nil
        guard salt != nil || !isSalted else { throw .damaged(at: 0) }
    }

    /// `nil` once a record is incomplete.
    package mutating func next() -> JournalRecord? {
        guard let head = head(at: offset), head.number == nextRecord, isWhole(head),
            let decoded = Self.decode(head.body)
        else { return nil }
        offset += head.bytes
        nextRecord += 1
        return decoded
    }

    /// Whether a complete record after the incomplete one states that this one was durable; or
    /// whether that cannot be determined, because more places look like records than there can be.
    ///
    /// - Complexity: O(remaining bytes), whatever their content.
    package mutating func isAnsweredForBehind() -> Bool {
        // Records do not overlap, so the checks of all possible records cover at most these bytes
        // once.
        let checkedMax = checkedBytes + file.count - offset
        let room = UInt64((file.count - offset) / recordBytesMin)
        for place in offset..<file.count {
            guard let head = head(at: place), head.synchronizedBytes > offset,
                head.number > nextRecord, head.number - nextRecord <= room
            else { continue }
            if checkedBytes + head.bytes > checkedMax || isWhole(head) { return true }
        }
        return false
    }

    private var recordBytesMin: Int {
        JournalFormat.recordHeaderBytes(isSalted: salt != nil)
    }

    /// The front of a record, not verified.
    private struct Head {
        var place: Int
        var bytes: Int
        var number: UInt64
        var synchronizedBytes: Int
        /// From the record's kind on.
        var body: UnsafeRawBufferPointer
    }

    /// `nil` if no record of this file can begin there, or no complete one. Constant time, whatever
    /// the bytes.
    private func head(at place: Int) -> Head? {
        guard place + recordBytesMin <= file.count else { return nil }
        if let salt, Self.number(file, at: place + 8, as: UInt64.self) != salt.rawValue {
            return nil
        }
        let bytes = Int(Self.number(file, at: place + 4, as: UInt32.self))
        guard (recordBytesMin...WriteLimits.recordBytesMax).contains(bytes),
            place + bytes <= file.count
        else { return nil }
        let numbers = place + 8 + (salt == nil ? 0 : FileSalt.bytes)
        let number = Self.number(file, at: numbers, as: UInt64.self)
        let safe = Self.number(file, at: numbers + 8, as: UInt64.self)
        // Bytes after a record cannot have been durable before it was written.
        guard number <= JournalFormat.numberMax, safe <= UInt64(place) else { return nil }
        return Head(
            place: place, bytes: bytes, number: number, synchronizedBytes: Int(safe),
            body: UnsafeRawBufferPointer(rebasing: file[(numbers + 16)..<(place + bytes)]))
    }

    private mutating func isWhole(_ head: Head) -> Bool {
        checkedBytes += head.bytes
        let checked = UnsafeRawBufferPointer(
            rebasing: file[(head.place + 4)..<(head.place + head.bytes)])
        return CRC32C.checksum(checked) == Self.number(file, at: head.place, as: UInt32.self)
    }

    private static func number<Number: FixedWidthInteger>(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, as: Number.Type
    ) -> Number {
        Number(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Number.self))
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
            case .describedPut: return try describedWrite(number, &reader)
            case .delete: return try write(number, isPut: false, &reader)
            case .done:
                if let owned = try owned(behind: number, &reader) { return owned }
                return try trace(behind: number, &reader) ?? .done(number)
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

    /// Exactly these bytes after number zero; `nil`: something else.
    private static func owned(
        behind number: WriteNumber, _ reader: inout ByteReader
    ) throws(CodingDamage) -> JournalRecord? {
        guard number == JournalFormat.noWrite,
            reader.remainingBytes == JournalFormat.ownedBytes
        else { return nil }
        let write = WriteNumber(try reader.integer(UInt64.self))
        let epoch = Epoch(try reader.integer(UInt32.self))
        let sequence = SequenceNumber(try reader.integer(UInt64.self))
        guard sequence <= .max else { return nil }
        return .owned(write, LogPosition(epoch: epoch, sequence: sequence))
    }

    /// The bytes after number zero; `nil`: nothing known.
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

    /// A value with its representation before it.
    private static func describedWrite(
        _ number: WriteNumber, _ reader: inout ByteReader
    ) throws(CodingDamage) -> JournalRecord? {
        guard case .write(_, var write, let at)? = try write(number, isPut: true, &reader),
            let both = write.value
        else { return nil }
        var bytes = 0
        for _ in 0..<Representation.fieldCount {
            guard bytes < both.count else { return nil }
            bytes += 1 + Int(both[bytes])
        }
        let head = both.prefix(bytes).withUnsafeBytes { Representation(stored: $0) }
        guard bytes <= both.count, let head, !head.isEmpty else { return nil }
        write.representation = head
        write.change = .put(Array(both[bytes...]))
        return .write(number, write, at: at)
    }
}
