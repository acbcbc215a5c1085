package import ByteCoding
package import CacheModel

/// ACK: this run has applied everything up to the mark.
///
///     body: incarnation 8, applied mark 24
public struct Ack: Hashable, Sendable {
    package var incarnation: Incarnation
    package var applied: LogMark

    package init(incarnation: Incarnation, applied: LogMark) {
        self.incarnation = incarnation
        self.applied = applied
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.ack, requestID: requestID, into: &writer)
        writer.append(incarnation.rawValue)
        writer.append(applied)
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        incarnation = Incarnation(try reader.next(UInt64.self))
        applied = try reader.mark()
        try reader.expectEnd()
    }
}
