package import ByteCoding
package import CacheModel

/// RESUME: send the records after this mark again.
///
///     body: incarnation 8 (0: a mere observer), log id 8 (0: any), mark 24, limit 4, reserved 4
public struct Resume: Hashable, Sendable {
    package var incarnation: Incarnation
    package var log: LogID
    package var after: LogMark
    /// Maximum records: 1 to 4 096.
    package var limit: Int

    package init(incarnation: Incarnation, log: LogID, after: LogMark, limit: Int) {
        self.incarnation = incarnation
        self.log = log
        self.after = after
        self.limit = limit
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.resume, requestID: requestID, into: &writer)
        writer.append(incarnation.rawValue)
        writer.append(log.rawValue)
        writer.append(after)
        writer.append(UInt32(limit))
        writer.append(UInt32(0))
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        incarnation = Incarnation(try reader.next(UInt64.self))
        log = LogID(try reader.next(UInt64.self))
        after = try reader.mark()
        limit = Int(try reader.next(UInt32.self))
        try reader.reserved(4)
        try reader.expectEnd()
        guard (1...WireLimits.replayRecordsMax).contains(limit) else {
            throw WireRefusal(.outOfRange, "a replay has 1 to 4096 records")
        }
    }
}
