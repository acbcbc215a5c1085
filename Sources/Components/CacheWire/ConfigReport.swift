package import ByteCoding

/// CONFIG REPORT: the cluster's configuration as YAML text, and its revision.
///
///     body: revision 4, text bytes 4, text
public struct ConfigReport: Hashable, Sendable {
    package var revision: UInt32
    package var text: String

    package init(revision: UInt32, text: String) {
        self.revision = revision
        self.text = text
    }

    package func encode(requestID: UInt64, into writer: inout ByteWriter) {
        let message = MessageWriter(.configReport, requestID: requestID, into: &writer)
        let bytes = Array(text.utf8)
        writer.append(revision)
        writer.append(UInt32(bytes.count))
        writer.append(bytes)
        message.finish(&writer, count: 0)
    }

    package init(decoding body: UnsafeRawBufferPointer) throws(WireRefusal) {
        var reader = ByteReader(body)
        revision = try reader.next(UInt32.self)
        let length = Int(try reader.next(UInt32.self))
        text = try reader.text(length)
        try reader.expectEnd()
    }
}
