/// Parameters after a string, which are ignored here: RFC 9651, 4.2.3.2. They are still checked,
/// because a malformed one invalidates the field.
extension StringListReader {
    /// Skips every `;name=value`; `false` if one of them is malformed.
    mutating func passParameters() -> Bool {
        while take(UInt8(ascii: ";")) {
            rest = rest.drop { $0 == .space }
            guard passKey() else { return false }
            if take(UInt8(ascii: "=")), !passItem() { return false }
        }
        return true
    }

    private mutating func passKey() -> Bool {
        guard let first = rest.first, first.isLowercaseLetter || first == UInt8(ascii: "*") else {
            return false
        }
        rest = rest.drop {
            $0.isLowercaseLetter || $0.isDigit || "_-.*".utf8.contains($0)
        }
        return true
    }

    /// The first byte of an item determines its type: RFC 9651, 4.2.3.1.
    private mutating func passItem() -> Bool {
        switch rest.first {
        case UInt8.quote: takeString() != nil
        case UInt8(ascii: "-"): passNumber(isDate: false)
        case UInt8(ascii: ":"): passBytes()
        case UInt8(ascii: "?"): passBoolean()
        case UInt8(ascii: "@"): take(UInt8(ascii: "@")) && passNumber(isDate: true)
        case UInt8(ascii: "%"): passDisplayString()
        case let byte? where byte.isDigit: passNumber(isDate: false)
        case let byte? where byte.isLetter || byte == UInt8(ascii: "*"): passToken()
        default: false
        }
    }

    /// At most fifteen digits, or at most twelve, a point, and one to three more.
    private mutating func passNumber(isDate: Bool) -> Bool {
        _ = take(UInt8(ascii: "-"))
        let whole = passDigits()
        guard take(UInt8(ascii: ".")) else { return (1...15).contains(whole) }
        return !isDate && (1...12).contains(whole) && (1...3).contains(passDigits())
    }

    private mutating func passDigits() -> Int {
        let digits = rest.prefix(while: \.isDigit)
        rest = rest[digits.endIndex...]
        return digits.count
    }

    private mutating func passToken() -> Bool {
        rest = rest.drop { $0.isTokenByte || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
        return true
    }

    /// Base64 bytes between two colons; not decoded.
    private mutating func passBytes() -> Bool {
        rest = rest.dropFirst().drop { $0.isLetter || $0.isDigit || "+/=".utf8.contains($0) }
        return take(UInt8(ascii: ":"))
    }

    private mutating func passBoolean() -> Bool {
        rest = rest.dropFirst()
        return take(UInt8(ascii: "0")) || take(UInt8(ascii: "1"))
    }

    /// A string in which some bytes are written as `%` and two lower-case hexadecimal digits; not
    /// decoded.
    private mutating func passDisplayString() -> Bool {
        rest = rest.dropFirst()
        guard take(.quote) else { return false }
        while let byte = rest.first, (0x20...0x7E).contains(byte) {
            rest = rest.dropFirst()
            if byte == .quote { return true }
            guard byte == UInt8(ascii: "%") else { continue }
            let digits = rest.prefix(2)
            guard digits.count == 2, digits.allSatisfy("0123456789abcdef".utf8.contains) else {
                return false
            }
            rest = rest.dropFirst(2)
        }
        return false
    }
}
