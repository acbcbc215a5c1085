package import ByteCoding
package import CacheModel

/// BYE: this run no longer serves anything.
///
///     body: incarnation 8
public struct Bye: Hashable, Sendable {
    package var incarnation: Incarnation

    package init(incarnation: Incarnation) {
        self.incarnation = incarnation
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.bye, requestID: requestID, into: &writer)
        writer.append(incarnation.rawValue)
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        incarnation = Incarnation(try reader.next(UInt64.self))
        try reader.expectEnd()
    }
}
