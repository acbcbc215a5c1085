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

/// PONG: the publisher's answer, with the lease.
///
///     body: sent at 8, log id 8, head mark 24, lease 4 (milliseconds; 0: no grant),
///           config revision 4, topology version 4, reserved 4
public struct Pong: Hashable, Sendable {
    package var sentAt: UInt64
    package var log: LogID
    package var head: LogMark
    package var leaseMilliseconds: UInt32
    package var versions: SharedVersions

    package init(
        sentAt: UInt64, log: LogID, head: LogMark, leaseMilliseconds: UInt32,
        versions: SharedVersions
    ) {
        self.sentAt = sentAt
        self.log = log
        self.head = head
        self.leaseMilliseconds = leaseMilliseconds
        self.versions = versions
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.pong, requestID: requestID, into: &writer)
        writer.append(sentAt)
        writer.append(log.rawValue)
        writer.append(head)
        writer.append(leaseMilliseconds)
        versions.encode(into: &writer)
        writer.append(UInt32(0))
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        sentAt = try reader.next(UInt64.self)
        log = LogID(try reader.next(UInt64.self))
        head = try reader.mark()
        leaseMilliseconds = try reader.next(UInt32.self)
        versions = try SharedVersions(decoding: &reader)
        try reader.reserved(4)
        try reader.expectEnd()
    }
}
