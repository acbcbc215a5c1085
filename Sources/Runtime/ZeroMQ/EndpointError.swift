/// Why a text is not an endpoint, in a sentence, with what to write instead.
public struct EndpointError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong with a text: of each, ``sentence`` says it.
    public enum Reason: Error, Hashable, Sendable {
        case noTransport
        case unsupportedTransport(String)
        case noPort
        case badPort
        case badHost
        case unbracketedIPv6
        case noName
        case unprintableName
        case tooLong(bytes: Int, bytesMax: Int)
        case forBindingOnly
        case badKey
        case keyInside
    }

    public let text: String
    public let reason: Reason

    init(_ text: String, _ reason: Reason) {
        self.text = text
        self.reason = reason
    }

    public var description: String {
        "\"\(text)\" is not a usable endpoint: \(reason.sentence). \(reason.remedy)."
    }
}

extension EndpointError.Reason {
    /// What is wrong.
    public var sentence: String {
        switch self {
        case .noTransport: "it names no transport"
        case .unsupportedTransport("ws"), .unsupportedTransport("wss"):
            "the WebSocket transport is experimental in libzmq and missing from some builds"
        case .unsupportedTransport("udp"): "udp loses messages and knows no ROUTER"
        case .unsupportedTransport(let name): "\"\(name)\" is not a transport this program speaks"
        case .noPort: "it names no port"
        case .badPort: "its port is not a number from 0 to 65535"
        case .badHost: "its host is neither a name nor an address"
        case .unbracketedIPv6: "it has an IPv6 address without brackets"
        case .noName: "nothing follows the transport"
        case .unprintableName: "its name has a character that does not print"
        case .tooLong(let bytes, let bytesMax):
            "its name has \(bytes) bytes and the system takes \(bytesMax)"
        case .forBindingOnly: "port 0 and * are for binding only"
        case .badKey: "its server's key is not 64 hexadecimal digits"
        case .keyInside: "inproc stays inside one process, and has no keys"
        }
    }

    /// What to write instead.
    public var remedy: String {
        switch self {
        case .noTransport, .unsupportedTransport:
            "Write tcp://host:port, ipc:///path/of/socket or inproc://name"
        case .noPort, .badPort: "Write tcp://host:port, such as tcp://127.0.0.1:7400"
        case .badHost: "Write a host name, an address such as 10.0.0.7, or [::1]"
        case .unbracketedIPv6: "Write tcp://[::1]:port"
        case .noName: "Write ipc:///path/of/socket or inproc://name"
        case .unprintableName: "Use letters, digits and marks"
        case .tooLong: "Choose a shorter one, such as one below /run"
        case .forBindingOnly: "Write the port and host that the other side listens on"
        case .badKey: "Copy the whole endpoint, as the server printed it"
        case .keyInside: "Leave the key out"
        }
    }
}
