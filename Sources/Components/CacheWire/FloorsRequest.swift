package import ByteCoding
package import CacheModel

/// FLOORS: which names were covered by records after this mark? Requested part by part.
///
///     body: incarnation 8, log id 8, mark 24, first bucket 4, reserved 4
public struct FloorsRequest: Hashable, Sendable {
    package var incarnation: Incarnation
    package var log: LogID
    package var applied: LogMark
    /// 0 to begin, then the value from the last part.
    package var firstBucket: Int

    package init(incarnation: Incarnation, log: LogID, applied: LogMark, firstBucket: Int) {
        self.incarnation = incarnation
        self.log = log
        self.applied = applied
        self.firstBucket = firstBucket
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.floors, requestID: requestID, into: &writer)
        writer.append(incarnation.rawValue)
        writer.append(log.rawValue)
        writer.append(applied)
        writer.append(UInt32(firstBucket))
        writer.append(UInt32(0))
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        incarnation = Incarnation(try reader.next(UInt64.self))
        log = LogID(try reader.next(UInt64.self))
        applied = try reader.mark()
        firstBucket = Int(try reader.next(UInt32.self))
        try reader.reserved(4)
        try reader.expectEnd()
        guard firstBucket < FloorBuckets.count else {
            throw WireRefusal(.outOfRange, "a floor snapshot has 4194304 buckets")
        }
    }
}
