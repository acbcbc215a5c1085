/// Reads a structured field that is a list of strings, as Cache-Groups is: the part of RFC 9651,
/// 4.2.1, that this needs.
///
/// It is as strict as the RFC: all lines are one list, and a list that is malformed anywhere, or
/// contains anything but strings, is rejected as a whole. Parameters are skipped. O(bytes).
struct StringListReader {
    var rest: ArraySlice<UInt8>

    /// The strings of all `lines`, without quotes and backslashes; `nil` if they are not a list of
    /// strings.
    static func strings(in lines: [FieldText]) -> [FieldText]? {
        let joined = [UInt8](lines.map(\.bytes).joined(separator: [.comma, .space]))
        var reader = StringListReader(rest: joined[...].drop { $0 == .space })
        var strings: [FieldText] = []
        while !reader.rest.isEmpty {
            guard let string = reader.takeString(), reader.passParameters() else { return nil }
            strings.append(FieldText(exactly: string[...]))
            reader.rest = reader.rest.drop(while: \.isFieldSpace)
            if reader.rest.isEmpty { break }
            guard reader.take(.comma) else { return nil }
            reader.rest = reader.rest.drop(while: \.isFieldSpace)
            if reader.rest.isEmpty { return nil }
        }
        return strings
    }

    /// Consumes `byte` if it is next.
    mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Consumes a quoted string: RFC 9651, 4.2.5.
    mutating func takeString() -> [UInt8]? {
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
