package import ByteCoding
package import CacheModel

/// PING: a node asks for its lease.
///
///     body: incarnation 8, sent at 8, applied mark 24, state 1, reserved 7
public struct Ping: Hashable, Sendable {
    package var incarnation: Incarnation
    /// The node's own clock when it sent this; opaque to the publisher, which echoes it.
    package var sentAt: UInt64
    package var applied: LogMark
    package var state: NodeState

    package init(incarnation: Incarnation, sentAt: UInt64, applied: LogMark, state: NodeState) {
        self.incarnation = incarnation
        self.sentAt = sentAt
        self.applied = applied
        self.state = state
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.ping, requestID: requestID, into: &writer)
        writer.append(incarnation.rawValue)
        writer.append(sentAt)
        writer.append(applied)
        writer.append(state.rawValue)
        writer.append(zeros: 7)
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        incarnation = Incarnation(try reader.next(UInt64.self))
        sentAt = try reader.next(UInt64.self)
        applied = try reader.mark()
        guard let state = NodeState(rawValue: try reader.next(UInt8.self)) else {
            throw WireRefusal(.malformed, "the state of a node is not known")
        }
        self.state = state
        try reader.reserved(7)
        try reader.expectEnd()
    }
}
