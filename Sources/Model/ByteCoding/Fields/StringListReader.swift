/// Reads and writes a structured field that is a list of strings, as Cache-Groups is: the part of
/// RFC 9651, 4.2.1, that this needs.
///
/// All lines are one list, and a list that is malformed anywhere, or contains anything but strings,
/// is rejected as a whole. Parameters after a string are skipped. O(bytes).
package struct StringListReader {
    /// What may stand between a string and the next comma.
    package enum Parameters: Sendable {
        /// Parameters, each as RFC 9651 has it: of an origin's answer.
        case checked
        /// Anything without a quote: of a request. It is looser than the RFC, but takes no
        /// parameter that is a string.
        case skipped
    }

    private var rest: ArraySlice<UInt8>

    /// A string of printable ASCII, with its quotes.
    package static func text(of string: String) -> String {
        "\"" + string.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// The strings of all `lines`, without quotes and backslashes; `nil` if they are not a list of
    /// strings.
    package static func strings(
        in lines: [FieldText], _ parameters: Parameters
    ) -> [FieldText]? {
        let joined = [UInt8](lines.map(\.bytes).joined(separator: [.comma, .space]))
        var reader = StringListReader(rest: joined[...].drop(while: \.isFieldSpace))
        var strings: [FieldText] = []
        while !reader.rest.isEmpty {
            guard let string = reader.takeString(), reader.pass(parameters) else { return nil }
            strings.append(FieldText(exactly: string[...]))
            if reader.rest.isEmpty { break }
            guard reader.take(.comma) else { return nil }
            reader.rest = reader.rest.drop(while: \.isFieldSpace)
            if reader.rest.isEmpty { return nil }
        }
        return strings
    }

    /// Skips what stands before the next comma; `false` if it may not stand there.
    private mutating func pass(_ parameters: Parameters) -> Bool {
        switch parameters {
        case .checked:
            guard passParameters() else { return false }
            rest = rest.drop(while: \.isFieldSpace)
        case .skipped: rest = rest.drop { !$0.isComma && $0 != .quote }
        }
        return true
    }

    /// Consumes `byte` if it is next.
    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Consumes a quoted string: RFC 9651, 4.2.5.
    private mutating func takeString() -> [UInt8]? {
        guard take(.quote) else { return nil }
        var string: [UInt8] = []
        while let byte = rest.first, (0x20...0x7E).contains(byte) {
            rest = rest.dropFirst()
            if byte == .quote { return string }
            if byte == .backslash {
                guard let escaped = rest.first, escaped == .quote || escaped == .backslash else {
                    return nil
                }
                rest = rest.dropFirst()
                string.append(escaped)
            } else {
                string.append(byte)
            }
        }
        return nil
    }
}

// MARK: Parameters

/// Parameters after a string, which are ignored here: RFC 9651, 4.2.3.2. They are still checked,
/// because a malformed one invalidates the field.
extension StringListReader {
    /// Skips every `;name=value`; `false` if one of them is malformed.
    fileprivate mutating func passParameters() -> Bool {
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
