import LibC

/// The host part of a tcp endpoint.
enum EndpointHost: Hashable, Sendable {
    /// Every address of this machine: `*`, for binding only.
    case any
    case ipv4(String)
    /// Without its brackets.
    case ipv6(String)
    /// A name to look up, or that of a network interface.
    case name(String)

    /// Reads a host, or says what is wrong with it.
    init(_ text: Substring) throws(EndpointError.Reason) {
        if text == "*" {
            self = .any
        } else if text.hasPrefix("[") {
            guard text.hasSuffix("]") else { throw .badHost }
            let address = String(text.dropFirst().dropLast())
            guard Self.ipv6Bytes(of: address) != nil else { throw .badHost }
            self = .ipv6(address)
        } else if text.contains(":") {
            throw .unbracketedIPv6
        } else if Self.ipv4Bytes(of: String(text)) != nil {
            self = .ipv4(String(text))
        } else {
            guard Self.isName(text) else { throw .badHost }
            self = .name(String(text))
        }
    }

    /// Whether only this machine can be reached through it, as far as the text tells.
    var isLoopback: Bool {
        switch self {
        case .any: false
        case .name(let name): name.lowercased() == "localhost"
        case .ipv4(let address): Self.ipv4Bytes(of: address)?.first == 127
        case .ipv6(let address): Self.ipv6Bytes(of: address).map(Self.isLoopback) ?? false
        }
    }

    var text: String {
        switch self {
        case .any: "*"
        case .ipv4(let text), .name(let text): text
        case .ipv6(let text): "[\(text)]"
        }
    }

    /// Whether an IPv6 address is `::1`, or an IPv4 loopback address in IPv6 clothes.
    private static func isLoopback(_ bytes: [UInt8]) -> Bool {
        let one: [UInt8] = Array(repeating: 0, count: 15) + [1]
        let mapped: [UInt8] = Array(repeating: 0, count: 10) + [255, 255, 127]
        return bytes == one || bytes.starts(with: mapped)
    }

    /// Whether the text can be a name. Digits and dots alone are a mistyped address.
    private static func isName(_ text: Substring) -> Bool {
        guard !text.isEmpty, text.utf8.count <= ZeroMQLimits.hostBytesMax else { return false }
        guard !text.hasPrefix("-"), !text.hasPrefix("."), !text.contains("..") else { return false }
        let characters = text.unicodeScalars
        return characters.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || $0.isNameMark) }
            && characters.contains { $0.properties.isAlphabetic }
    }

    private static func ipv4Bytes(of text: String) -> [UInt8]? {
        var address = [UInt8](repeating: 0, count: 4)
        return inet_pton(AF_INET, text, &address) == 1 ? address : nil
    }

    /// The address's bytes; a zone such as `%eth0` is not part of them.
    private static func ipv6Bytes(of text: String) -> [UInt8]? {
        let parts = text.split(separator: "%", omittingEmptySubsequences: false)
        guard parts.count <= 2, let number = parts.first else { return nil }
        if parts.count == 2,
            !parts[1].allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
                || parts[parts.count - 1].isEmpty
        {
            return nil
        }
        var address = [UInt8](repeating: 0, count: 16)
        return inet_pton(AF_INET6, String(number), &address) == 1 ? address : nil
    }
}

extension Unicode.Scalar {
    /// Whether a host name may hold this beside letters.
    fileprivate var isNameMark: Bool {
        ("0"..."9").contains(self) || "-_.".contains(Character(self))
    }
}
