import ByteCoding
import CacheInvalidation
import CacheModel
import CacheWire

/// The table of slots as it is stored beside a log, with the mark that it is of:
///
///     magic 8, checksum 4 (of what follows), reserved 4, log id 8, epoch 4, sequence 8, digest 8,
///     then the table: ``CacheModel/SlotTable/encoded``
struct StoredSlots {
    /// "MARTSLT1": the last character is the number of the format.
    private static let magic: UInt64 = 0x3154_4C53_5452_414D
    private static let checksumEnd = 12
    private static let headBytes = 44

    let log: LogID
    /// All slot records up to it are in the table, and none behind it.
    let mark: LogMark
    let table: SlotTable

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.append(Self.magic)
        writer.append(UInt32(0))
        writer.append(UInt32(0))
        writer.append(log.rawValue)
        writer.append(mark.position)
        writer.append(mark.digest.rawValue)
        writer.append(table.encoded)
        writer.patch(StoredChecksum.of(writer.bytes, from: Self.checksumEnd), at: 8)
        return writer.array
    }

    init(log: LogID, mark: LogMark, table: SlotTable) {
        (self.log, self.mark, self.table) = (log, mark, table)
    }

    /// - Returns: `nil` if the bytes are damaged or of another format.
    init?(reading bytes: [UInt8]) {
        let read = bytes.withUnsafeBytes { Self.read($0) }
        guard let read else { return nil }
        self = read
    }

    private static func read(_ bytes: UnsafeRawBufferPointer) -> StoredSlots? {
        guard bytes.count >= headBytes, StableHash.word(bytes, 0) == magic,
            StoredChecksum.read(bytes, at: 8) == StoredChecksum.of(bytes, from: checksumEnd)
        else { return nil }
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[checksumEnd...]))
        do throws(WireRefusal) {
            try reader.reserved(4)
            let log = LogID(try reader.next(UInt64.self))
            let mark = LogMark(
                position: try reader.position(), digest: LogDigest(try reader.next(UInt64.self)))
            let table = try SlotTable(decoding: reader.take(reader.remainingBytes))
            guard table.position <= mark.position,
                table.position.epoch == mark.position.epoch
            else { return nil }
            return StoredSlots(log: log, mark: mark, table: table)
        } catch {
            return nil
        }
    }

    /// The table as of the head of the log: this one, and the slot records after its mark.
    ///
    /// At the beginning of an epoch every table is possible, so that one that was not stored in it
    /// may differ from the one that nodes have.
    ///
    /// - Throws: why the log does not continue this table.
    /// - Complexity: O(records after the mark).
    func table(asOf log: some InvalidationLog) throws(SlotsLoss) -> SlotTable {
        try check(log)
        var table = table
        var after = mark.position.sequence
        while after < log.head.position.sequence {
            guard let records = log.read(after: after, limit: WireLimits.replayRecordsMax),
                let last = records.last, records[0].position.sequence == after.next
            else { throw .beforeRetention }
            for sealed in records {
                guard let record = sealed.record.slots else { continue }
                guard table.fold(record, at: sealed.position) else { throw .notOfTheLog }
            }
            after = last.position.sequence
        }
        return table
    }

    /// Whether the log has the mark, in its present epoch.
    private func check(_ log: some InvalidationLog) throws(SlotsLoss) {
        guard self.log == log.id else { throw .notOfTheLog }
        switch log.standing(of: mark) {
        case .ofTheLog: return
        case .olderEpoch: throw .ofAnEarlierEpoch
        case .beforeTail: throw .beforeRetention
        case .ahead, .unlike: throw .notOfTheLog
        }
    }
}
