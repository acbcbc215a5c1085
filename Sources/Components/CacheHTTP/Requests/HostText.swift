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
        let isNumber = digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
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
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~%!$&'()*+,;=".utf8.contains(byte)
        }
    }

    /// Also of addresses that future versions may have, and of zones.
    private static func isOfAddress(_ byte: UInt8) -> Bool {
        isOfName(byte) || byte == UInt8(ascii: ":")
    }
}
