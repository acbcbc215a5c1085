import ByteCoding
import CacheModel

/// A record of the log has either scopes, or one record of slots in their place:
///
///     offset  size  field
///          0     1  kind       6
///          1     3  reserved
///          4     2  nameBytes
///          6     2  reserved
///          8     …  the record: ``SlotRecord/init(decoding:)``
///
/// It is no scope of the model: it covers no key, and no client sends it.
extension SlotRecord {
    private static let kind: UInt8 = 6

    /// Whether the next bytes begin with the kind of a record of slots.
    static func isAhead(in reader: ByteReader) -> Bool {
        reader.remainingBytes > 0 && reader.buffer[reader.offset] == kind
    }

    /// - Returns: `nil` if the next bytes are a scope; nothing is read then.
    init?(aheadIn reader: inout ByteReader) throws(WireRefusal) {
        guard Self.isAhead(in: reader) else { return nil }
        _ = try reader.next(UInt8.self)
        try reader.reserved(3)
        let count = Int(try reader.next(UInt16.self))
        try reader.reserved(2)
        self = try SlotRecord(decoding: reader.take(count))
    }

    func encodeScope(into writer: inout ByteWriter) {
        let name = encoded
        writer.append(Self.kind)
        writer.append(zeros: 3)
        writer.append(UInt16(name.count))
        writer.append(UInt16(0))
        writer.append(name)
    }
}
