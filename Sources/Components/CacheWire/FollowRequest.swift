package import ByteCoding
package import CacheModel

/// FOLLOW: the records after this position that the asker may see, as soon as there are some.
///
///     body: limit 4, hold 4 (milliseconds), options 1 (1 from the head), reserved 7,
///           sealed mark 24
///
/// A sealed mark has a number that only the publisher understands in place of the digest.
public struct FollowRequest: Hashable, Sendable {
    /// Sealed; a digest of 0 is not compared. None if it begins at the head.
    package var after: LogMark
    /// Begins at the head, wherever that is, and is answered with that position at once.
    package var isFromHead = false
    /// Maximum records: 1 to 4 096.
    package var limit: Int
    /// How long an answer may wait for a record.
    package var holdMilliseconds: UInt32

    package init(after: LogMark, limit: Int, holdMilliseconds: UInt32) {
        self.after = after
        self.limit = limit
        self.holdMilliseconds = holdMilliseconds
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.follow, requestID: requestID, into: &writer)
        writer.append(UInt32(limit))
        writer.append(holdMilliseconds)
        writer.append(UInt8(isFromHead ? 1 : 0))
        writer.append(zeros: 7)
        writer.append(after)
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        limit = Int(try reader.next(UInt32.self))
        holdMilliseconds = try reader.next(UInt32.self)
        isFromHead = try reader.flag()
        try reader.reserved(7)
        after = try reader.mark()
        try reader.expectEnd()
        guard !isFromHead || after == .none else {
            throw WireRefusal(.malformed, "a request from the head has no mark")
        }
        guard (1...WireLimits.replayRecordsMax).contains(limit) else {
            throw WireRefusal(.outOfRange, "a part of the stream has 1 to 4096 records")
        }
    }
}
