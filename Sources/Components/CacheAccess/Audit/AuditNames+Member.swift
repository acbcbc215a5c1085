extension AuditNames {
    /// A name as a member of a line, where lines are not made of JSON: what is not visible ASCII is
    /// written as `%` and two digits, and what is very long is cut.
    ///
    /// - Returns: what the member is called, and what it says; `nil` where names are not written.
    package func member(_ kind: String, of name: [UInt8]) -> (String, String)? {
        switch self {
        case .none: return nil
        case .hashed(let hash):
            let digits = String(hash.hash(name), radix: 16)
            return (
                "\(kind)_hash", String(repeating: "0", count: 16 - digits.count) + digits
            )
        case .clear:
            var text = ""
            for byte in name.prefix(AuditLimits.memberBytesMax) {
                if (0x21...0x7E).contains(byte), byte != UInt8(ascii: "%") {
                    text.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    text += byte < 16 ? "%0" : "%"
                    text += String(byte, radix: 16, uppercase: true)
                }
            }
            if name.count > AuditLimits.memberBytesMax { text += "…" }
            return (kind, text)
        }
    }
}
