import ByteCoding

extension EndpointText {
    /// The endpoint that `text` says.
    ///
    /// - Throws: a sentence if `text` is none that others could connect to.
    package static func parse(_ text: String) throws(TextProblem) -> EndpointText {
        guard text.utf8.count <= ConfigurationLimits.endpointBytesMax,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C })
        else {
            throw TextProblem(
                "\(TextProblem.quote(text)) has spaces or special characters, or is longer than "
                    + "\(ConfigurationLimits.endpointBytesMax) bytes; write tcp://HOST:PORT")
        }
        let (place, key) = try split(text)
        if place.hasPrefix("tcp://") {
            return EndpointText(try tcp(text, rest: place.dropFirst(6)), serverKey: key)
        }
        if place.hasPrefix("ipc://") {
            return EndpointText(try ipc(text, path: place.dropFirst(6)), serverKey: key)
        }
        throw TextProblem(
            "\(TextProblem.quote(text)) is not an endpoint; write tcp://HOST:PORT or ipc://PATH")
    }

    /// As ``parse(_:)``, of a text that a person typed: `HOST:PORT` is `tcp://HOST:PORT`.
    package static func typed(_ text: String) throws(TextProblem) -> EndpointText {
        let hasScheme = text.contains("://")
        guard !hasScheme, let colon = text.lastIndex(of: ":"), colon > text.startIndex else {
            return try parse(text)
        }
        return try parse("tcp://\(text)")
    }

    /// The place, and the key behind it.
    private static func split(
        _ text: String
    ) throws(TextProblem) -> (place: Substring, key: PublicKey?) {
        guard let mark = text.firstIndex(of: "?"), text[mark...].hasPrefix(keyMark) else {
            return (text[...], nil)
        }
        guard let key = PublicKey(text[mark...].dropFirst(keyMark.count)) else {
            throw TextProblem(
                "the key in \(TextProblem.quote(text)) is not 64 hexadecimal digits; copy the "
                    + "whole endpoint, as the server or martlet keygen printed it")
        }
        return (text[..<mark], key)
    }

    private static func tcp(
        _ text: String, rest: Substring
    ) throws(TextProblem) -> Place {
        guard let colon = rest.lastIndex(of: ":") else {
            throw TextProblem(
                "\(TextProblem.quote(text)) has no port; write tcp://HOST:PORT, "
                    + "for example tcp://127.0.0.1:7400")
        }
        let portText = String(rest[rest.index(after: colon)...])
        guard let parts = NumberWithUnit(portText), parts.unit.isEmpty,
            let port = UInt16(exactly: parts.number), port > 0
        else {
            throw TextProblem(
                "\(TextProblem.quote(portText)) in \(TextProblem.quote(text)) is not a port; "
                    + "give 1 to 65535")
        }
        let host = try host(String(rest[..<colon]), in: text)
        return .tcp(host: host, port: port)
    }

    private static func host(_ host: String, in text: String) throws(TextProblem) -> String {
        if wildcards.contains(host) {
            throw TextProblem(
                "nobody can connect to \(TextProblem.quote(text)); "
                    + "write the address that others reach it by")
        }
        if host == "localhost" { return "127.0.0.1" }
        guard isHost(host) else {
            throw TextProblem(
                "\(TextProblem.quote(host)) in \(TextProblem.quote(text)) is not a host; "
                    + "write an address such as 127.0.0.1 or [::1], or a name")
        }
        return host
    }

    /// Whether a client could connect to a host of this name or address.
    static func isHost(_ host: String) -> Bool {
        !wildcards.contains(host) && !host.isEmpty && (isBracketed(host) || isNameOrNumbers(host))
    }

    private static let wildcards = ["*", "0.0.0.0", "[::]"]

    private static func isBracketed(_ host: String) -> Bool {
        guard host.hasPrefix("["), host.hasSuffix("]"), host.utf8.count >= 4 else { return false }
        return host.dropFirst().dropLast().allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
    }

    private static func isNameOrNumbers(_ host: String) -> Bool {
        if host.allSatisfy({ $0.isNumber || $0 == "." }) { return octets(host) != nil }
        return host.allSatisfy { $0.isLetter || $0.isNumber || $0 == "." || $0 == "-" || $0 == "_" }
    }

    private static func ipc(
        _ text: String, path: Substring
    ) throws(TextProblem) -> Place {
        let longest = ConfigurationLimits.socketPathBytesMax
        guard path.hasPrefix("/"), path.utf8.count <= longest else {
            throw TextProblem(
                "\(TextProblem.quote(text)) needs an absolute path of at most \(longest) bytes")
        }
        return .ipc(path: String(path))
    }
}
