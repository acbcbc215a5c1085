package import ByteCoding
package import CacheModel

/// PONG: the publisher's answer, with the lease.
///
///     body: sent at 8, log id 8, head mark 24, lease 4 (milliseconds; 0: no grant),
///           config revision 4, topology version 4, reserved 4
///
/// The publisher's cluster is in a field.
public struct Pong: Hashable, Sendable {
    package var sentAt: UInt64
    package var log: LogID
    package var head: LogMark
    package var leaseMilliseconds: UInt32
    package var versions: SharedVersions
    /// The publisher's cluster; none while unknown.
    package var cluster = ClusterID.none

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
        var message = MessageWriter(.pong, requestID: requestID, into: &writer)
        message.field(cluster, into: &writer)
        writer.append(sentAt)
        writer.append(log.rawValue)
        writer.append(head)
        writer.append(leaseMilliseconds)
        versions.encode(into: &writer)
        writer.append(UInt32(0))
        message.finish(&writer, count: 0)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        try self.init(decoding: message.body)
        cluster = message.fields.cluster
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
