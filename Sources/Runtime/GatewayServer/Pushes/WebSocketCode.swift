import GatewayCore

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
