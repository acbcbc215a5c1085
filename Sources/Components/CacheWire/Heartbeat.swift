package import ByteCoding
package import CacheModel

/// HEARTBEAT: the publisher is alive, and this is its head, so that a loss at the very end is
/// detected too.
///
/// Without a log (id 0) it says that this publisher gives its leadership up: another one will lead.
///
///     body: log id 8, head mark 24, config revision 4, topology version 4
public struct Heartbeat: Hashable, Sendable {
    package var log: LogID
    package var head: LogMark
    package var versions: SharedVersions

    package init(log: LogID, head: LogMark, versions: SharedVersions) {
        self.log = log
        self.head = head
        self.versions = versions
    }

    /// This publisher gives its leadership up.
    package static let farewell = Heartbeat(
        log: .none, head: .none, versions: SharedVersions(configRevision: 0, topologyVersion: 0))

    package func encode(into writer: inout ByteWriter) {
        let message = MessageWriter(.heartbeat, requestID: 0, into: &writer)
        writer.append(log.rawValue)
        writer.append(head)
        versions.encode(into: &writer)
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        log = LogID(try reader.next(UInt64.self))
        head = try reader.mark()
        versions = try SharedVersions(decoding: &reader)
        try reader.expectEnd()
    }
}

/// The publisher's configuration revision and topology version, so that others notice when theirs
/// differ: config revision 4, topology version 4.
public struct SharedVersions: Hashable, Sendable {
    package var configRevision: UInt32
    package var topologyVersion: UInt32

    package init(configRevision: UInt32, topologyVersion: UInt32) {
        self.configRevision = configRevision
        self.topologyVersion = topologyVersion
    }

    package func encode(into writer: inout ByteWriter) {
        writer.append(configRevision)
        writer.append(topologyVersion)
    }

    package init(decoding reader: inout ByteReader) throws(WireRefusal) {
        configRevision = try reader.next(UInt32.self)
        topologyVersion = try reader.next(UInt32.self)
    }
}
