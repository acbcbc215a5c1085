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
        if text.hasPrefix("tcp://") { return try tcp(text, rest: text.dropFirst(6)) }
        if text.hasPrefix("ipc://") { return try ipc(text, path: text.dropFirst(6)) }
        throw TextProblem(
            "\(TextProblem.quote(text)) is not an endpoint; write tcp://HOST:PORT or ipc://PATH")
    }

    private static func tcp(
        _ text: String, rest: Substring
    ) throws(TextProblem) -> EndpointText {
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
        return EndpointText(.tcp(host: host, port: port))
    }

    private static func host(_ host: String, in text: String) throws(TextProblem) -> String {
        if ["*", "0.0.0.0", "[::]"].contains(host) {
            throw TextProblem(
                "nobody can connect to \(TextProblem.quote(text)); "
                    + "write the address that others reach it by")
        }
        if host == "localhost" { return "127.0.0.1" }
        guard isBracketed(host) || isNameOrNumbers(host) else {
            throw TextProblem(
                "\(TextProblem.quote(host)) in \(TextProblem.quote(text)) is not a host; "
                    + "write an address such as 127.0.0.1 or [::1], or a name")
        }
        return host
    }

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
    ) throws(TextProblem) -> EndpointText {
        let longest = ConfigurationLimits.socketPathBytesMax
        guard path.hasPrefix("/"), path.utf8.count <= longest else {
            throw TextProblem(
                "\(TextProblem.quote(text)) needs an absolute path of at most \(longest) bytes")
        }
        return EndpointText(.ipc(path: String(path)))
    }
}
