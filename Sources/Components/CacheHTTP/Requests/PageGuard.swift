import ByteCoding

/// What a page that a browser has loaded from elsewhere may not do here.
///
/// A browser sends requests for any page it shows. Changes are taken from pages of the gateway's
/// own origin, and of those that it was told to allow; and a gateway that asks for no token and is
/// there for this machine alone takes nothing that was addressed to another name than this
/// machine's, because the owner of a name can have it lead here.
package enum PageGuard {
    /// - Parameters:
    ///   - isOpen: whether the gateway asks for no token, and listens on this machine alone. Where
    ///     others reach it, they do so under names that it does not know.
    ///   - isTokenAsked: whether a read needs a token, which no page of another site has.
    /// - Throws: ``ProblemKind/malformedField`` of a host that is none,
    ///   ``ProblemKind/foreignPage`` or ``ProblemKind/misdirected``.
    package static func check(
        _ head: RequestHead, isOpen: Bool, isTokenAsked: Bool, _ origins: AllowedOrigins = .none
    ) throws(Problem) {
        if isOpen, let authority = head.authority, !isLoopback(authority) {
            throw Problem(
                .misdirected,
                "this gateway asks for no token, and answers to localhost, 127.0.0.1 and [::1] "
                    + "alone: give it --tokens to have it known under other names")
        }
        if let authority = head.authority, HostText(authority) == nil {
            throw Problem(
                .malformedField, "a host is a name or an address, then perhaps : and a port")
        }
        guard GatewayMethod(rawValue: head.method)?.isSafe == true else {
            return try checkOrigin(of: head, origins)
        }
        if !isTokenAsked { try checkReader(of: head, origins) }
    }

    /// Refuses reads of pages of other sites: they would cost loads and places in tables, although
    /// the page does not get the answer. Links that a person follows are allowed.
    private static func checkReader(
        of head: RequestHead, _ origins: AllowedOrigins
    ) throws(Problem) {
        let origin = head.fields["Origin"]
        if let origin, origins.allows(origin) { return }
        let isFollowed =
            head.fields["Sec-Fetch-Mode"] == "navigate"
            && head.fields["Sec-Fetch-Dest"] == "document"
        let isForeignSite = head.fields["Sec-Fetch-Site"] == "cross-site" && !isFollowed
        guard !isForeignSite, origin.map({ isOwnHost($0, head.authority) }) ?? true else {
            throw foreign
        }
    }

    /// Whether an Origin names the host that the request was sent to, at any port.
    private static func isOwnHost(_ origin: String, _ authority: String?) -> Bool {
        guard let scheme = ["http://", "https://"].first(where: { origin.hasPrefix($0) }),
            let sender = HostText(String(origin.dropFirst(scheme.count))),
            let own = authority.flatMap({ HostText($0) })
        else { return false }
        return FieldText.isSameWord(String(sender.name), String(own.name))
    }

    /// That no page of another origin has sent it, unless it may.
    package static func checkOrigin(
        of head: RequestHead, _ origins: AllowedOrigins
    ) throws(Problem) {
        let origin = head.fields["Origin"]
        if let origin, origins.allows(origin) { return }
        let site = head.fields["Sec-Fetch-Site"]
        let isForeignSite = site == "cross-site" || site == "same-site"
        guard !isForeignSite, origin.map({ isOwn($0, head.authority) }) ?? true else {
            throw foreign
        }
    }

    static var foreign: Problem {
        Problem(
            .foreignPage,
            "a page of another origin asks: serve the page and the gateway from one origin, behind "
                + "one proxy, or start the gateway with --allow-origin and the page's")
    }

    /// Whether an Origin names the host that the request was sent to.
    private static func isOwn(_ origin: String, _ authority: String?) -> Bool {
        guard let authority else { return false }
        return FieldText.isSameWord(origin, "http://\(authority)")
            || FieldText.isSameWord(origin, "https://\(authority)")
    }

    /// Whether a host, with its port or without, is this machine's own name for itself.
    package static func isLoopback(_ authority: String) -> Bool {
        guard let host = HostText(authority) else { return false }
        let text = String(host.name)
        return ["localhost", "localhost.", "[::1]"].contains { FieldText.isSameWord($0, text) }
            || isLoopbackNumber(text)
    }

    private static func isLoopbackNumber(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127"
            && parts.allSatisfy {
                $0.utf8.allSatisfy(\.isDigit) && UInt8($0) != nil
            }
    }
}

/// What `Host` and `:authority` may be (RFC 9110, 7.2): a name, an address or an IPv6 address in
/// brackets, then perhaps a colon and a port.
package struct HostText: Hashable, Sendable {
    /// With its brackets, as it was sent; may be empty.
    package let name: Substring
    /// `nil` where there is none, or nothing after the colon.
    package let port: UInt16?

    /// - Returns: `nil` if `text` has another form.
    package init?(_ text: String) {
        let name = Self.name(in: text)
        guard let name else { return nil }
        self.name = name
        let rest = text[name.endIndex...]
        guard let colon = rest.first else {
            port = nil
            return
        }
        let digits = rest.dropFirst()
        let isNumber = digits.utf8.allSatisfy(\.isDigit)
        guard colon == ":", isNumber, digits.isEmpty || UInt16(digits) != nil else { return nil }
        port = UInt16(digits)
    }

    private static func name(in text: String) -> Substring? {
        guard text.utf8.first == UInt8(ascii: "[") else {
            let name = text.prefix { $0 != ":" }
            return name.utf8.allSatisfy(isOfName) ? name : nil
        }
        guard let end = text.firstIndex(of: "]") else { return nil }
        let inner = text[text.index(after: text.startIndex)..<end]
        let isAddress = inner.utf8.contains(UInt8(ascii: ":")) && inner.utf8.allSatisfy(isOfAddress)
        return isAddress ? text[...end] : nil
    }

    /// RFC 3986's reg-name: letters, digits, and what stands for itself or is escaped by `%`.
    private static func isOfName(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "-._~%!$&'()*+,;=".utf8.contains(byte)
    }

    /// Also of addresses that future versions may have, and of zones.
    private static func isOfAddress(_ byte: UInt8) -> Bool {
        isOfName(byte) || byte == UInt8(ascii: ":")
    }
}
