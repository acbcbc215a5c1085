/// Whether names of keys, tags and prefixes are written, and how.
package enum AuditNames: Sendable {
    /// As they are: `name`, and `name_base64` where they are not UTF-8.
    case clear
    /// `name_hash`: equal names have equal hashes within one run.
    case hashed(NameHash)
    case none

    func append(_ name: [UInt8], to text: inout AuditText) {
        switch self {
        case .clear:
            let shown = String(decoding: name, as: UTF8.self)
            text.member("name", shown)
            if !shown.utf8.elementsEqual(name) { text.member("name_base64", Self.base64(name)) }
        case .hashed(let hash):
            let digits = String(hash.hash(name), radix: 16)
            text.member("name_hash", String(repeating: "0", count: 16 - digits.count) + digits)
        case .none: break
        }
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func base64(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(start + 3, bytes.count)]
            var group = part.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            group <<= UInt32(8 * (3 - part.count))
            for index in 0..<4 {
                let six = Int(group >> UInt32(18 - 6 * index)) & 63
                text.append(index <= part.count ? alphabet[six] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

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
