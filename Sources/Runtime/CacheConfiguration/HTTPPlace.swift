/// Where a process answers over HTTP: an address of its machine and a port.
package struct HTTPPlace: Hashable, Sendable, CustomStringConvertible {
    /// Without brackets.
    package let host: String
    package let port: UInt16

    private init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// A port of this machine that no other machine reaches.
    package static func loopback(port: UInt16) -> HTTPPlace {
        HTTPPlace(host: "127.0.0.1", port: port)
    }

    /// - Parameter text: `ADDRESS:PORT`, an IPv6 address in brackets; or a port alone, on
    ///   127.0.0.1. Port 0 lets the system choose.
    /// - Throws: a sentence if it is neither.
    package static func parse(_ text: String) throws(TextProblem) -> HTTPPlace {
        let wrong = TextProblem(
            "\(TextProblem.quote(text)) is no place for HTTP; write ADDRESS:PORT, for example "
                + "127.0.0.1:9400 or [::1]:9400")
        let colon = text.lastIndex(of: ":")
        let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
        guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let port = UInt16(digits)
        else { throw wrong }
        guard let colon else { return loopback(port: port) }
        let host = text[..<colon]
        guard let name = Self.name(host) else { throw wrong }
        return HTTPPlace(host: name, port: port)
    }

    private static func name(_ host: Substring) -> String? {
        if host == "localhost" { return "127.0.0.1" }
        if host == "*" { return "0.0.0.0" }
        if host.hasPrefix("["), host.hasSuffix("]"), host.utf8.count >= 4 {
            let inside = host.dropFirst().dropLast()
            return inside.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
                ? String(inside) : nil
        }
        let octets = host.split(separator: ".", omittingEmptySubsequences: false)
        let isAddress =
            octets.count == 4
            && octets.allSatisfy {
                $0.utf8.count <= 3 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) }
                    && UInt8($0) != nil
            }
        return isAddress ? String(host) : nil
    }

    /// Whether other machines cannot reach it.
    package var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

    package var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
