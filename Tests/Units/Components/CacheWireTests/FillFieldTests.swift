import ByteCoding
import CacheModel
import CacheWire
import Testing

/// The field by which a node copies entries into its own memory.
@Suite struct FillFieldTests {
    private static func message(fill bytes: [UInt8]) -> [UInt8] {
        var writer = ByteWriter()
        var message = MessageWriter(.status, requestID: 3, into: &writer)
        bytes.withUnsafeBytes {
            message.field(MessageFields.ID.fill, $0, into: &writer)
        }
        message.finish(&writer, count: 0)
        return writer.array
    }

    @Test func itIsTheDigestOfTheAskersLog() throws {
        var writer = ByteWriter()
        var message = MessageWriter(.get, requestID: 3, into: &writer)
        message.field(fill: LogDigest(0x0807_0605_0403_0201), into: &writer)
        message.finish(&writer, count: 0)
        #expect(writer.array[24...] == [0x17, 8, 1, 2, 3, 4, 5, 6, 7, 8])
        try Array(writer.array[24...]).withUnsafeBytes { bytes in
            let fields = try MessageFields(decoding: bytes)
            #expect(fields.fill == LogDigest(0x0807_0605_0403_0201))
        }
    }

    @Test func anotherLengthIsMalformed() {
        for count in [0, 7, 9] {
            let frame = Self.message(fill: Array(repeating: 0, count: count))
            #expect(throws: WireRefusal.self) {
                try frame.withUnsafeBytes { _ = try MessageView(decoding: $0) }
            }
        }
    }

    /// A release that does not know it passes it over.
    @Test func itIsNotCritical() {
        #expect(MessageFields.ID.fill < 0x80)
    }
}
