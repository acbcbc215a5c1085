package import ByteCoding
package import CacheModel

/// TRUNCATED: the requested records are no longer there, or are not of this log.
///
///     body: log id 8, head mark 24, tail sequence 8
public struct Truncated: Hashable, Sendable {
    package var log: LogID
    package var head: LogMark
    package var tail: SequenceNumber

    package init(log: LogID, head: LogMark, tail: SequenceNumber) {
        self.log = log
        self.head = head
        self.tail = tail
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.truncated, requestID: requestID, into: &writer)
        writer.append(log.rawValue)
        writer.append(head)
        writer.append(tail.rawValue)
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        log = LogID(try reader.next(UInt64.self))
        head = try reader.mark()
        tail = try reader.sequence()
        try reader.expectEnd()
    }
}
