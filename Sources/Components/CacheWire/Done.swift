package import ByteCoding
package import CacheModel

/// DONE: an order about a node was accepted.
///
///     body: incarnation 8, runs 2, reserved 6
public struct Done: Hashable, Sendable {
    /// The run that drains; of forgotten runs the newest. ``CacheModel/Incarnation/none`` if none
    /// was known.
    package var incarnation: Incarnation
    package var runCount: UInt16

    package init(incarnation: Incarnation, runCount: UInt16) {
        self.incarnation = incarnation
        self.runCount = runCount
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.done, requestID: requestID, into: &writer)
        writer.append(incarnation.rawValue)
        writer.append(runCount)
        writer.append(UInt16(0))
        writer.append(UInt32(0))
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        incarnation = Incarnation(try reader.next(UInt64.self))
        runCount = try reader.next(UInt16.self)
        try reader.reserved(6)
        try reader.expectEnd()
    }
}
