package import ByteCoding
package import CacheModel

/// PING: a node asks for its lease, or only for the head.
///
///     body: incarnation 8, sent at 8, applied mark 24, state 1, purpose 1, reserved 6
public struct Ping: Hashable, Sendable {
    /// The purpose. The numbers are on the wire.
    package enum Purpose: UInt8, CaseIterable, Sendable {
        /// The lease, and the head at which it begins.
        case lease = 0
        /// Only the current head: the answer grants nothing.
        case head = 1
    }

    package var incarnation: Incarnation
    /// The node's own clock when it sent this; opaque to the publisher, which echoes it.
    package var sentAt: UInt64
    package var applied: LogMark
    package var state: NodeState
    package var purpose: Purpose

    package init(
        incarnation: Incarnation, sentAt: UInt64, applied: LogMark, state: NodeState,
        purpose: Purpose = .lease
    ) {
        self.incarnation = incarnation
        self.sentAt = sentAt
        self.applied = applied
        self.state = state
        self.purpose = purpose
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.ping, requestID: requestID, into: &writer)
        writer.append(incarnation.rawValue)
        writer.append(sentAt)
        writer.append(applied)
        writer.append(state.rawValue)
        writer.append(purpose.rawValue)
        writer.append(zeros: 6)
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        incarnation = Incarnation(try reader.next(UInt64.self))
        sentAt = try reader.next(UInt64.self)
        applied = try reader.mark()
        state = try reader.known(or: "the state of a node is not known")
        purpose = try reader.known(or: "what a PING asks for is not known")
        try reader.reserved(6)
        try reader.expectEnd()
    }
}
