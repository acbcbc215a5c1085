package import ByteCoding
package import CacheModel

/// FOLLOWED: the records up to a position that the asker may see.
///
///     body: through 24 (a sealed mark), head 12, options 1 (1 part, 2 lost), reserved 3,
///           then each record: sequence 8, operation 16, strength 1, options 1 (1 newer form),
///           scopes 2, reserved 4, scopes
///
/// Records are of the epoch of `through`, in order, and not contiguous: records that the asker may
/// not see are left out.
public struct Followed: Hashable, Sendable {
    /// All records up to here were sent or are not visible; the next request begins here.
    package var through: LogMark
    package var head: LogPosition
    /// Whether the asker may see only a part of the log.
    package var isPart = false
    /// The records after the asker's position are gone, or are of another log: it continues at
    /// `through`.
    package var isLost = false
    /// Without digests.
    package var records: [InvalidationRecord] = []

    package init(through: LogMark, head: LogPosition) {
        self.through = through
        self.head = head
    }

    /// An upper bound of a record's size in an answer, without the names of its scopes.
    private static let recordBytes = 32
    private static let scopeBytes = 32

    /// An upper bound of a record's size in an answer.
    package static func bytesMax(of record: InvalidationRecord) -> Int {
        record.scopes.reduce(recordBytes) { sum, scope in
            let (_, namespace, name) = scope.parts
            return sum + scopeBytes + namespace.name.utf8.count + name.count
        }
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.followed, requestID: requestID, into: &writer)
        writer.append(through)
        writer.append(head)
        writer.append(UInt8((isPart ? 1 : 0) | (isLost ? 2 : 0)))
        writer.append(zeros: 3)
        for record in records { Self.encode(record, into: &writer) }
        message.finish(&writer, count: records.count)
    }

    private static func encode(_ record: InvalidationRecord, into writer: inout ByteWriter) {
        writer.append(record.position.sequence.rawValue)
        writer.append(record.operation)
        writer.append(record.strength.rawValue)
        writer.append(UInt8(record.isOfNewerForm ? 1 : 0))
        writer.append(UInt16(record.scopes.count))
        writer.append(UInt32(0))
        record.scopes.encode(into: &writer)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        through = try reader.mark()
        head = try reader.position()
        let options = try reader.next(UInt8.self)
        guard options <= 3 else { throw .reserved }
        isPart = options & 1 != 0
        isLost = options & 2 != 0
        try reader.reserved(3)
        guard message.count <= WireLimits.replayRecordsMax else {
            throw WireRefusal(.outOfRange, "a part of the stream has at most 4096 records")
        }
        var last = SequenceNumber.none
        for _ in 0..<message.count {
            let record = try Self.record(&reader, in: through.position.epoch)
            guard record.position.sequence > last, record.position <= through.position else {
                throw WireRefusal(.malformed, "the records of the stream are not in order")
            }
            last = record.position.sequence
            records.append(record)
        }
        try reader.expectEnd()
        guard head >= through.position, !isLost || records.isEmpty else {
            throw WireRefusal(.malformed, "a place beyond the head, or records of what is lost")
        }
    }

    private static func record(
        _ reader: inout ByteReader, in epoch: Epoch
    ) throws(WireRefusal) -> InvalidationRecord {
        let position = LogPosition(epoch: epoch, sequence: try reader.sequence())
        let operation = try OperationID(decoding: &reader)
        let strength = InvalidationRecord.Strength(rawValue: try reader.next(UInt8.self))
        let options = try reader.next(UInt8.self)
        let count = Int(try reader.next(UInt16.self))
        try reader.reserved(4)
        guard let strength else {
            throw WireRefusal(.malformed, "the strength of a record is not known")
        }
        guard options <= 1 else { throw .reserved }
        guard (1...InvalidationRecord.scopesMax).contains(count) else {
            throw WireRefusal(.outOfRange, "a record has 1 to 1000 scopes")
        }
        var scopes: [Scope] = []
        for _ in 0..<count { scopes.append(try Scope(decoding: &reader)) }
        let record = InvalidationRecord(
            position: position, previousDigest: LogDigest(0), operation: operation,
            strength: strength, scopes: scopes)
        guard options == 1 else { return record }
        let newer = InvalidationRecord(ofNewerFormAt: position, previousDigest: LogDigest(0))
        guard record.says(newer) else {
            throw WireRefusal(.malformed, "a record of a newer form says everything, hard")
        }
        return newer
    }
}

extension InvalidationRecord {
    /// Whether both have the same content, in any form.
    fileprivate func says(_ other: InvalidationRecord) -> Bool {
        operation == other.operation && strength == other.strength && scopes == other.scopes
    }
}
