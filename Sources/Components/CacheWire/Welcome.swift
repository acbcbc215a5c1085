package import ByteCoding
package import CacheModel

/// WELCOME: the publisher's answer to HELLO.
///
///     body: log id 8, head mark 24, tail sequence 8, lease 4, heartbeat 4 (milliseconds),
///           config revision 4, topology version 4, live endpoint (1 + text)
///
/// The run that had a lease last, and the publisher's cluster, are in fields, which older nodes
/// ignore; the body cannot grow.
public struct Welcome: Hashable, Sendable {
    package var log: LogID
    package var head: LogMark
    /// The oldest record that can be replayed.
    package var tail: SequenceNumber
    package var leaseMilliseconds: UInt32
    package var heartbeatMilliseconds: UInt32
    package var versions: SharedVersions
    package var liveEndpoint: String
    /// The run of this node that was last granted a lease, before the one that is welcomed; none if
    /// unknown.
    package var previousRun: Incarnation = .none
    /// The publisher's cluster; none while unknown.
    package var cluster = ClusterID.none

    package init(
        log: LogID, head: LogMark, tail: SequenceNumber, leaseMilliseconds: UInt32,
        heartbeatMilliseconds: UInt32, versions: SharedVersions, liveEndpoint: String
    ) {
        self.log = log
        self.head = head
        self.tail = tail
        self.leaseMilliseconds = leaseMilliseconds
        self.heartbeatMilliseconds = heartbeatMilliseconds
        self.versions = versions
        self.liveEndpoint = liveEndpoint
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        var message = MessageWriter(.welcome, requestID: requestID, into: &writer)
        message.field(MessageFields.ID.previousRun, previousRun, into: &writer)
        message.field(cluster, into: &writer)
        writer.append(log.rawValue)
        writer.append(head)
        writer.append(tail.rawValue)
        writer.append(leaseMilliseconds)
        writer.append(heartbeatMilliseconds)
        versions.encode(into: &writer)
        writer.append(shortText: liveEndpoint)
        message.finish(&writer, count: 0)
    }

    package init(decoding message: MessageView) throws(WireRefusal) {
        var reader = ByteReader(message.body)
        log = LogID(try reader.next(UInt64.self))
        head = try reader.mark()
        tail = try reader.sequence()
        leaseMilliseconds = try reader.next(UInt32.self)
        heartbeatMilliseconds = try reader.next(UInt32.self)
        versions = try SharedVersions(decoding: &reader)
        liveEndpoint = try reader.shortText()
        try reader.expectEnd()
        previousRun = message.fields.previousRun
        cluster = message.fields.cluster
    }
}
