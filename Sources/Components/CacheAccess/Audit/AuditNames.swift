import ByteCoding

/// Whether names of keys, tags and prefixes are written, and how.
package enum AuditNames: Sendable {
    /// As they are: `name`, and `name_base64` where they are not UTF-8.
    case clear
    /// `name_hash`: equal names have equal hashes within one run.
    case hashed(NameHash)
    case none

    func members(of name: [UInt8]) -> [JSONDocument.Member] {
        switch self {
        case .clear:
            let shown = String(decoding: name, as: UTF8.self)
            guard !shown.utf8.elementsEqual(name) else { return [("name", .text(shown))] }
            return [("name", .text(shown)), ("name_base64", .text(Base64Text.text(of: name)))]
        case .hashed(let hash): return [("name_hash", .text(hash.digits(of: name)))]
        case .none: return []
        }
    }

    /// A name as a member of a line, where lines are not made of JSON: what is not visible ASCII is
    /// written as `%` and two digits, and what is very long is cut.
    ///
    /// - Returns: what the member is called, and what it says; `nil` where names are not written.
    package func member(_ kind: String, of name: [UInt8]) -> (String, String)? {
        switch self {
        case .none: return nil
        case .hashed(let hash): return ("\(kind)_hash", hash.digits(of: name))
        case .clear:
            var text: [UInt8] = []
            for byte in name.prefix(AuditLimits.memberBytesMax) {
                if (0x21...0x7E).contains(byte), byte != UInt8(ascii: "%") {
                    text.append(byte)
                } else {
                    PercentEncoding.append(byte, to: &text)
                }
            }
            let isCut = name.count > AuditLimits.memberBytesMax
            return (kind, String(decoding: text, as: UTF8.self) + (isCut ? "…" : ""))
        }
    }
}

/// The hash that stands for a name under a secret key, so that a reader of the hashes cannot try
/// out names.
package struct NameHash: Hashable, Sendable {
    private let hash: SipHash

    /// - Parameters: the two halves of the key, drawn at random and kept nowhere.
    package init(key0: UInt64, key1: UInt64) { hash = SipHash(key0: key0, key1: key1) }

    /// - Complexity: O(bytes), about a nanosecond a byte.
    package func hash(_ name: [UInt8]) -> UInt64 { hash.hash(name) }

    fileprivate func digits(of name: [UInt8]) -> String {
        let digits = String(hash(name), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
