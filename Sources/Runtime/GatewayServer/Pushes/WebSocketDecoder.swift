import NIOCore
import NIOWebSocket

/// Decodes frames of a client (RFC 6455, 5.2), as strictly as specified there.
///
/// NIO's own decoder accepts a length in more bytes than it needs, which the RFC forbids: two
/// readers of one stream could split it differently.
struct WebSocketDecoder: ByteToMessageDecoder {
    typealias InboundOut = WebSocketFrame

    enum Fault: Error, Equatable {
        /// A length in more bytes than it needs, or with its highest bit set.
        case lengthForm
        case tooLong
        case fragmentedControl
        case longControl
    }

    let frameBytesMax: Int

    mutating func decode(
        context: ChannelHandlerContext, buffer: inout ByteBuffer
    ) throws -> DecodingState {
        guard let frame = try next(in: &buffer) else { return .needMoreData }
        context.fireChannelRead(Self.wrapInboundOut(frame))
        return .continue
    }

    /// Removes a frame from the buffer.
    ///
    /// - Returns: `nil` if it is incomplete. An error in its head is thrown before that.
    func next(in buffer: inout ByteBuffer) throws(Fault) -> WebSocketFrame? {
        var rest = buffer
        guard let first = rest.readInteger(as: UInt8.self),
            let second = rest.readInteger(as: UInt8.self)
        else { return nil }
        guard let length = try Self.length(second & 0x7F, in: &rest) else { return nil }
        let opcode = WebSocketOpcode(encodedWebSocketOpcode: first & 0xF)
        if first & 0x8 != 0 {
            guard first & 0x80 != 0 else { throw .fragmentedControl }
            guard length <= 125 else { throw .longControl }
        }
        guard length <= frameBytesMax else { throw .tooLong }
        var mask: WebSocketMaskingKey?
        if second & 0x80 != 0 {
            guard let bytes = rest.readBytes(length: 4) else { return nil }
            mask = WebSocketMaskingKey(bytes)
        }
        guard let opcode, let data = rest.readSlice(length: Int(length)) else { return nil }
        buffer = rest
        return WebSocketFrame(
            fin: first & 0x80 != 0, rsv1: first & 0x40 != 0, rsv2: first & 0x20 != 0,
            rsv3: first & 0x10 != 0, opcode: opcode, maskKey: mask, data: data)
    }

    private static func length(
        _ short: UInt8, in buffer: inout ByteBuffer
    ) throws(Fault) -> UInt64? {
        switch short {
        case 126:
            guard let length = buffer.readInteger(as: UInt16.self) else { return nil }
            guard length > 125 else { throw .lengthForm }
            return UInt64(length)
        case 127:
            guard let length = buffer.readInteger(as: UInt64.self) else { return nil }
            guard length > UInt64(UInt16.max), length >> 63 == 0 else { throw .lengthForm }
            return length
        default: return UInt64(short)
        }
    }
}
