import GatewayCore
import NIOCore
import NIOWebSocket

/// Frames that a server sends (RFC 6455, 5.2): complete, and not masked.
enum WebSocketText {
    static func frame(_ text: [UInt8]) -> ByteBuffer {
        frame(0x1, ByteBuffer(bytes: text))
    }

    static func pong(_ data: ByteBuffer) -> ByteBuffer { frame(0xA, data) }

    /// - Parameter reason: cut to the length that a control frame permits.
    static func close(_ code: UInt16, _ reason: String) -> ByteBuffer {
        var data = ByteBuffer()
        data.writeInteger(code)
        var text = reason
        while text.utf8.count > 123 { text.removeLast() }
        data.writeString(text)
        return frame(0x8, data)
    }

    /// The error of a close frame.
    struct CloseFault: Error, Equatable {
        let code: WebSocketCode
        let sentence: String
    }

    /// The code of a close frame of the other side (RFC 6455, 5.5.1): 1000 if it has none.
    static func closing(_ data: ByteBuffer) -> Result<UInt16, CloseFault> {
        var data = data
        guard data.readableBytes > 0 else { return .success(WebSocketCode.normal.rawValue) }
        guard let code = data.readInteger(as: UInt16.self) else {
            return .failure(CloseFault(code: .protocolError, sentence: "a code has two bytes"))
        }
        let isOfStandard = (1000...1014).contains(code) && !(1004...1006).contains(code)
        guard isOfStandard || (3000...4999).contains(code) else {
            return .failure(CloseFault(code: .protocolError, sentence: "there is no such code"))
        }
        guard String(validating: data.readableBytesView, as: UTF8.self) != nil else {
            return .failure(CloseFault(code: .notUTF8, sentence: "a reason is UTF-8"))
        }
        return .success(code)
    }

    private static func frame(_ opcode: UInt8, _ data: ByteBuffer) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: data.readableBytes + 10)
        buffer.writeInteger(0x80 | opcode)
        switch data.readableBytes {
        case ...125: buffer.writeInteger(UInt8(data.readableBytes))
        case ...Int(UInt16.max):
            buffer.writeInteger(UInt8(126))
            buffer.writeInteger(UInt16(data.readableBytes))
        default:
            buffer.writeInteger(UInt8(127))
            buffer.writeInteger(UInt64(data.readableBytes))
        }
        buffer.writeImmutableBuffer(data)
        return buffer
    }
}

/// Why a WebSocket is closed: RFC 6455's codes, and from 4000 on the gateway's own.
enum WebSocketCode: UInt16 {
    case normal = 1000
    case protocolError = 1002
    case notText = 1003
    case notUTF8 = 1007
    case tooLong = 1009
    case comeBack = 1012
    case tryLater = 1013
    case badRequest = 4000
    case unauthorised = 4001
    case slow = 4008

    init(_ ending: PushEnding) {
        self =
            switch ending {
            case .slow, .stalled: .slow
            case .stopping: .comeBack
            case .expired: .unauthorised
            }
    }

    init(_ refusal: PushRefusal.Code) {
        self =
            switch refusal {
            case .badRequest: .badRequest
            case .unauthorised: .unauthorised
            case .full: .tryLater
            case .stopping: .comeBack
            }
    }
}
