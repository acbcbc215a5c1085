package import ByteCoding

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
