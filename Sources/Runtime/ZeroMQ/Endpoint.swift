public import ByteCoding

/// The address that a socket binds or connects to: `tcp://host:port`, `ipc://path` or
/// `inproc://name`.
///
/// - tcp: the host is a name, an interface (for binding), an IPv4 address, an IPv6 address in
///   brackets, or `*` for all addresses of this machine. Port 0, also written `*`, lets the
///   system choose. Both wildcards are for binding.
/// - ipc: a path of at most ``ZeroMQLimits/ipcPathBytesMax`` bytes; `@name` is Linux's abstract
///   namespace, and `*` a path that libzmq chooses when it binds.
/// - inproc: a name known inside one ``Context``.
///
/// A tcp or ipc address may end in the server's public key, `?key=` and 64 hexadecimal digits: a
/// socket that connects to it talks to the holder of that key alone.
///
/// Two endpoints are equal if they are written alike, apart from `*` and 0 for a port.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// How bytes travel.
    public enum Transport: Hashable, Sendable { case tcp, ipc, inproc }

    /// The use that an endpoint is wanted for.
    public enum Use: Hashable, Sendable { case binding, connecting }

    private enum Address: Hashable, Sendable {
        case tcp(host: EndpointHost, port: UInt16)
        case ipc(path: String)
        case inproc(name: String)
    }

    private let address: Address
    /// The server's public key; `nil`: no key is checked.
    public let serverKey: PublicKey?

    /// Reads an endpoint.
    ///
    /// - Parameter use: `.connecting` refuses what is only for binding.
    /// - Throws: an error that says what is wrong and what to write instead.
    public init(_ text: String, for use: Use = .binding) throws(EndpointError) {
        do throws(EndpointError.Reason) {
            let (place, key) = try Self.split(text)
            address = try Self.parse(place)
            serverKey = key
            if key != nil, case .inproc = address { throw .keyInside }
        } catch {
            throw EndpointError(text, error)
        }
        if use == .connecting, !isConnectable { throw EndpointError(text, .forBindingOnly) }
    }

    private init(_ address: Address, _ serverKey: PublicKey?) {
        self.address = address
        self.serverKey = serverKey
    }

    public var transport: Transport {
        switch address {
        case .tcp: .tcp
        case .ipc: .ipc
        case .inproc: .inproc
        }
    }

    /// The tcp port, 0 for one the system is to choose; `nil` for the other transports.
    public var port: UInt16? {
        if case .tcp(_, let port) = address { port } else { nil }
    }

    /// The path of an ipc endpoint; `nil` for the other transports.
    public var path: String? {
        if case .ipc(let path) = address { path } else { nil }
    }

    /// The same host with another port; `nil` unless this is a tcp endpoint.
    public func withPort(_ port: UInt16) -> Endpoint? {
        guard case .tcp(let host, _) = address else { return nil }
        return Endpoint(.tcp(host: host, port: port), serverKey)
    }

    /// The same address, with the server's key.
    public func withServerKey(_ key: PublicKey?) -> Endpoint {
        Endpoint(address, transport == .inproc ? nil : key)
    }

    /// Whether only this machine can reach it, as far as the text tells: 127.0.0.0/8, ::1,
    /// `localhost`, ipc and inproc.
    public var isLoopback: Bool {
        if case .tcp(let host, _) = address { host.isLoopback } else { true }
    }

    /// Whether a socket can connect to it: it has no wildcard left.
    public var isConnectable: Bool {
        switch address {
        case .tcp(let host, let port): host != .any && port != 0
        case .ipc(let path): path != "*"
        case .inproc: true
        }
    }

    /// Whether its host is written as an IPv6 address.
    var isIPv6: Bool {
        if case .tcp(.ipv6, _) = address { true } else { false }
    }

    public var description: String {
        serverKey.map { "\(libraryText)\(Self.keyMark)\($0)" } ?? libraryText
    }

    /// The place alone, as libzmq reads it.
    var libraryText: String {
        switch address {
        case .tcp(let host, let port): "tcp://\(host.text):\(port)"
        case .ipc(let path): "ipc://\(path)"
        case .inproc(let name): "inproc://\(name)"
        }
    }
}

extension Endpoint {
    private static let keyMark = "?key="

    /// The place, and the key behind it.
    private static func split(
        _ text: String
    ) throws(EndpointError.Reason) -> (place: String, key: PublicKey?) {
        guard let mark = text.firstIndex(of: "?"), text[mark...].hasPrefix(keyMark) else {
            return (text, nil)
        }
        guard let key = PublicKey(text[mark...].dropFirst(keyMark.count)) else { throw .badKey }
        return (String(text[..<mark]), key)
    }

    private static func parse(_ text: String) throws(EndpointError.Reason) -> Address {
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else {
            throw .noTransport
        }
        let transport = text[..<colon]
        let rest = text[text.index(colon, offsetBy: 3)...]
        switch transport {
        case "tcp": return try parseTCP(rest)
        case "ipc":
            // An abstract name needs something after its mark.
            guard rest != "@" else { throw .noName }
            return .ipc(path: try parseName(rest, bytesMax: ZeroMQLimits.ipcPathBytesMax))
        case "inproc":
            return .inproc(name: try parseName(rest, bytesMax: ZeroMQLimits.inprocNameBytesMax))
        case "": throw .noTransport
        default: throw .unsupportedTransport(String(transport))
        }
    }

    private static func parseTCP(_ rest: Substring) throws(EndpointError.Reason) -> Address {
        guard let colon = rest.lastIndex(of: ":"), !rest.hasSuffix("]") else { throw .noPort }
        let host = try EndpointHost(rest[..<colon])
        let digits = rest[rest.index(after: colon)...]
        if digits.isEmpty { throw .noPort }
        if digits == "*" { return .tcp(host: host, port: 0) }
        // `UInt16` would also take a sign.
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits) else {
            throw .badPort
        }
        return .tcp(host: host, port: port)
    }

    private static func parseName(
        _ rest: Substring, bytesMax: Int
    ) throws(EndpointError.Reason) -> String {
        let count = rest.utf8.count
        guard count > 0 else { throw .noName }
        guard count <= bytesMax else { throw .tooLong(bytes: count, bytesMax: bytesMax) }
        // A NUL would end the text early in C.
        guard rest.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }) else { throw .unprintableName }
        return String(rest)
    }
}
