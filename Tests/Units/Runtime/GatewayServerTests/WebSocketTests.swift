import NIOCore
import NIOWebSocket
import Testing

@testable import GatewayServer

@Suite struct WebSocketTests {
    private static let mask: [UInt8] = [1, 2, 3, 4]

    /// A frame of a client, with the bytes of its length as given.
    private static func frame(
        _ first: UInt8, _ length: [UInt8], _ data: [UInt8] = []
    ) -> ByteBuffer {
        let masked = data.enumerated().map { $1 ^ mask[$0 % 4] }
        return ByteBuffer(bytes: [first, length[0] | 0x80] + length.dropFirst() + mask + masked)
    }

    private static func fault(_ buffer: ByteBuffer) -> WebSocketDecoder.Fault? {
        var buffer = buffer
        do throws(WebSocketDecoder.Fault) {
            _ = try WebSocketDecoder(frameBytesMax: 1 << 17).next(in: &buffer)
            return nil
        } catch {
            return error
        }
    }

    @Test func aFrameIsTakenOnceItIsWhole() throws {
        let data = Array("hello".utf8)
        let whole = Self.frame(0x81, [5], data)
        let decoder = WebSocketDecoder(frameBytesMax: 5)
        for count in 0..<whole.readableBytes {
            var part = try #require(whole.getSlice(at: 0, length: count))
            #expect(try decoder.next(in: &part) == nil && part.readableBytes == count)
        }
        var buffer = whole
        buffer.writeInteger(UInt8(0x89))
        let frame = try #require(try decoder.next(in: &buffer))
        #expect(frame.fin && frame.opcode == .text && !frame.rsv1 && !frame.rsv2 && !frame.rsv3)
        #expect(Array(frame.unmaskedData.readableBytesView) == data)
        #expect(buffer.readableBytes == 1)
    }

    @Test(arguments: [126, 127, 65_535, 65_536, 100_000])
    func aLengthIsReadInItsShortestForm(count: Int) throws {
        let data = [UInt8](repeating: 7, count: count)
        let short = [126, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        let long =
            [127, 0, 0, 0, 0] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
        var buffer = Self.frame(0x82, count < 65_536 ? short : long, data)
        let frame = try WebSocketDecoder(frameBytesMax: 1 << 17).next(in: &buffer)
        #expect(frame?.length == count && frame?.opcode == .binary)
    }

    @Test(
        arguments: [
            [126, 0, 5], [126, 0, 125], [127, 0, 0, 0, 0, 0, 0, 0, 5],
            [127, 0, 0, 0, 0, 0, 0, 255, 255], [127, 128, 0, 0, 0, 0, 1, 0, 0],
        ] as [[UInt8]])
    func aLengthInAnyOtherFormIsRefused(length: [UInt8]) {
        #expect(Self.fault(Self.frame(0x81, length)) == .lengthForm)
    }

    @Test func anOversizedFrameOrInvalidControlFrameIsRefusedByItsHeader() {
        #expect(Self.fault(Self.frame(0x81, [127, 0, 0, 0, 0, 0, 2, 0, 1])) == .tooLong)
        #expect(Self.fault(Self.frame(0x81, [127, 127, 0, 0, 0, 0, 0, 0, 0])) == .tooLong)
        #expect(Self.fault(Self.frame(0x09, [5])) == .fragmentedControl)
        #expect(Self.fault(Self.frame(0x89, [126, 0, 126])) == .longControl)
    }

    // MARK: Close frames

    private static func closing(_ bytes: [UInt8]) -> Result<UInt16, WebSocketText.CloseFault> {
        WebSocketText.closing(ByteBuffer(bytes: bytes))
    }

    private static func code(_ bytes: [UInt8]) -> WebSocketCode? {
        if case .failure(let fault) = closing(bytes) { fault.code } else { nil }
    }

    @Test func aCloseIsAnsweredWithItsCode() {
        #expect(Self.closing([]) == .success(1000))
        #expect(Self.closing([3, 232]) == .success(1000))
        #expect(Self.closing([15, 160] + "bye \u{E9}".utf8) == .success(4000))
    }

    @Test func aCloseFrameWithAnInvalidCodeIsAProtocolError() {
        #expect(Self.code([3]) == .protocolError)
        for code in [0, 999, 1004, 1005, 1006, 1015, 2999, 5000] as [UInt16] {
            #expect(Self.code([UInt8(code >> 8), UInt8(code & 0xFF)]) == .protocolError)
        }
    }

    @Test func aReasonThatIsNotUTF8IsSaid() {
        #expect(Self.code([3, 232, 0xFF]) == .notUTF8)
        #expect(Self.code([3, 232, 0xC3]) == .notUTF8)
    }
}
