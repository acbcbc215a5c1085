/// The address of a collector, as the user gives it: `http://host:4318`, with a path before
/// `/v1/traces` if there is one.
package struct CollectorPlace: Hashable, Sendable {
    /// What is wrong with an address. It never contains the address: that may hold a password.
    package struct Mistake: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// The URL that spans are sent to.
    package let url: String
    /// The same for messages to people.
    package let origin: String

    package init(_ text: String) throws(Mistake) {
        let scheme = ["http://", "https://"].first { text.hasPrefix($0) }
        guard let scheme else {
            throw Mistake(description: "it is a URL such as http://127.0.0.1:4318")
        }
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") })
        else { throw Mistake(description: "a URL has no spaces, and no letters beyond ASCII") }
        let rest = text.dropFirst(scheme.count)
        guard !rest.contains("@") else {
            throw Mistake(description: "a name or password in a URL is not taken")
        }
        guard !rest.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw Mistake(description: "a query or fragment is not taken")
        }
        let host = rest.prefix { $0 != "/" }
        guard Self.isHost(host) else {
            throw Mistake(description: "a host follows the scheme, and a port may: host:4318")
        }
        var path = rest.dropFirst(host.count)
        while path.last == "/" { path.removeLast() }
        origin = scheme + host
        url = scheme + host + path + OTLPText.path
    }

    private static func isHost(_ text: Substring) -> Bool {
        var name = text
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return false }
            name = text[text.index(after: text.startIndex)..<end]
            let after = text[text.index(after: end)...]
            guard after.isEmpty || after.first == ":" else { return false }
            port = after.isEmpty ? nil : after.dropFirst()
        } else if let colon = text.firstIndex(of: ":") {
            name = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        let isPort = port.map { UInt16($0) ?? 0 > 0 } ?? true
        return !name.isEmpty && isPort
            && name.allSatisfy { $0.isLetter || $0.isNumber || ".-_:%".contains($0) }
    }
}
