import ByteCoding
import CacheModel
import CacheWire

/// A small log, and its messages as they come over a live channel.
enum ScriptedLog {
    private static let id = LogID(77)

    /// - Returns: so many records, each of which covers everything.
    static func records(_ count: Int) throws -> [SealedRecord] {
        var digest = LogDigest(startOf: id)
        var records: [SealedRecord] = []
        for number in 1...count {
            let record = try SealedRecord(
                sealing: InvalidationRecord(
                    position: LogPosition(
                        epoch: Epoch(1), sequence: SequenceNumber(UInt64(number))),
                    previousDigest: digest, operation: .none, strength: .hard,
                    scopes: [Scope(.everything)]))
            digest = record.digest
            records.append(record)
        }
        return records
    }

    static func message(_ heartbeat: Heartbeat) -> [UInt8] {
        var writer = ByteWriter()
        heartbeat.encode(into: &writer)
        return writer.array
    }

    static func heartbeat(_ mark: LogMark) -> [UInt8] {
        message(
            Heartbeat(
                log: id, head: mark,
                versions: SharedVersions(configRevision: 1, topologyVersion: 1)))
    }

    static func live(_ records: [SealedRecord]) -> [UInt8] {
        var writer = ByteWriter()
        RecordRun(records: records).encode(requestID: 0, into: &writer)
        return writer.array
    }
}
