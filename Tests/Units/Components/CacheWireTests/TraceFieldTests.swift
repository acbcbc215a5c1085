import ByteCoding
import CacheModel
import CacheWire
import Testing

@Suite struct TraceFieldTests {
    private static func frame(_ write: (inout MessageWriter, inout ByteWriter) -> Void) -> [UInt8] {
        var writer = ByteWriter()
        var message = MessageWriter(.topology, requestID: 1, into: &writer)
        write(&message, &writer)
        message.finish(&writer, count: 0)
        return writer.array
    }

    private static func trace(in frame: [UInt8]) throws -> TraceContext? {
        try frame.withUnsafeBytes { try MessageView(decoding: $0).fields.traceContext }
    }

    @Test(arguments: [nil, "a=1", String(repeating: "s", count: 38)])
    func aContextComesBackAsItWas(state: String?) throws {
        let context = try #require(
            TraceContext(
                traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                tracestate: state))
        let frame = Self.frame { $0.field(context, into: &$1) }
        #expect(try Self.trace(in: frame) == context)
        // The id stands there as people write it.
        let field = Array(frame[24...].prefix(28))
        #expect(field.prefix(4) == [0x07, UInt8(26 + (state?.utf8.count ?? 0)), 0x00, 0x4B])
        #expect(field[27] == 0x01)
    }

    @Test func noneTakesNoBytes() {
        #expect(Self.frame { $0.field(TraceContext?.none, into: &$1) }.count == 24)
    }

    /// Forms of other releases, and of others who speak the protocol.
    @Test(arguments: [
        [1], Array("00-4bf92f3577b34da6-01".utf8), [0] + [UInt8](repeating: 0, count: 25),
        [9] + [UInt8](repeating: 7, count: 25), [UInt8](repeating: 0x74, count: 64),
        [0] + [UInt8](repeating: 7, count: 24),
    ])
    func anotherFormIsPassedOver(bytes: [UInt8]) throws {
        let frame = Self.frame { message, writer in
            bytes.withUnsafeBytes { message.field(0x07, $0, into: &writer) }
        }
        #expect(try Self.trace(in: frame) == nil)
    }

    @Test func anInvalidationCarriesIt() throws {
        let context = try #require(
            TraceContext(
                traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"))
        var request = InvalidateRequest(
            scopes: [Scope(.everything)], wait: .none, timeoutMilliseconds: 1, operation: .none)
        request.trace = context
        var writer = ByteWriter()
        request.encode(requestID: 1, into: &writer)
        let decoded = try writer.array.withUnsafeBytes {
            try InvalidateRequest(decoding: MessageView(decoding: $0))
        }
        #expect(decoded == request)
    }
}
