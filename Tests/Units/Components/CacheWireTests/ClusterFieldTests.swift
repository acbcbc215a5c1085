import ByteCoding
import CacheModel
import CacheWire
import Testing

/// The field that says of which cluster the sender is.
@Suite struct ClusterFieldTests {
    @Test func itIsAddedToAWholeMessageBehindItsFields() throws {
        let request = InvalidateRequest(
            scopes: [Scope(.everything)], wait: .all, timeoutMilliseconds: 5,
            operation: OperationID(high: 1, low: 2))
        var plain = ByteWriter()
        request.encode(requestID: 9, into: &plain)
        // Behind something else.
        var writer = ByteWriter()
        writer.append(UInt32(0))
        MessageWriter.append(plain.array, from: ClusterID(0xA), to: &writer)
        let named = Array(writer.array.dropFirst(4))
        #expect(named.count == plain.count + 10)
        try named.withUnsafeBytes { bytes in
            let message = try MessageView(decoding: bytes)
            #expect(message.requestID == 9 && message.fields.cluster == ClusterID(0xA))
            var decoded = try InvalidateRequest(decoding: message)
            #expect(decoded.cluster == ClusterID(0xA))
            decoded.cluster = .none
            #expect(decoded == request)
        }
    }

    @Test func aMessageWithoutAClusterHasThePreviousReleasesForm() {
        var plain = ByteWriter()
        MessageWriter(.status, requestID: 3, into: &plain).finish(&plain, count: 0)
        var writer = ByteWriter()
        MessageWriter.append(plain.array, from: .none, to: &writer)
        #expect(writer.array == plain.array)
    }
}
