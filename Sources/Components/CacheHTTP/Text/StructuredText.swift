/// The little of structured fields (RFC 9651) that is spoken here: strings, and lists of them.
package enum StructuredText {
    /// As an sf-string. The text has printable ASCII alone.
    package static func string(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// The strings of a list; parameters behind them are passed over.
    ///
    /// - Returns: `nil` if it is no list of strings.
    package static func strings(_ text: String) -> [[UInt8]]? {
        var strings: [[UInt8]] = []
        var rest = Array(text.utf8)[...]
        func skipSpace() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }
        skipSpace()
        while !rest.isEmpty {
            guard let string = string(&rest) else { return nil }
            strings.append(string)
            rest = rest.drop { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
            guard !rest.isEmpty else { break }
            guard rest.popFirst() == UInt8(ascii: ",") else { return nil }
            skipSpace()
            guard !rest.isEmpty else { return nil }
        }
        return strings
    }

    private static func string(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
        guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
        var content: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return content
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(),
                    escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
                else { return nil }
                content.append(escaped)
            case 0x20...0x7E: content.append(byte)
            default: return nil
            }
        }
        return nil
    }
}
