/// Bytes as hexadecimal digits, two for each, in lower case.
public enum HexText {
    public static func text(of bytes: [UInt8]) -> String {
        var text = ""
        for byte in bytes {
            text.unicodeScalars.append(digit(byte >> 4))
            text.unicodeScalars.append(digit(byte & 15))
        }
        return text
    }

    /// - Returns: `nil` for an odd number of digits, or anything that is none.
    public static func bytes(of text: String) -> [UInt8]? { bytes(of: text[...]) }

    /// - Returns: `nil` for an odd number of digits, or anything that is none.
    public static func bytes(of text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var high: UInt8?
        for character in text.utf8 {
            guard let value = value(of: character) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }

    private static func digit(_ value: UInt8) -> Unicode.Scalar {
        Unicode.Scalar(value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10)
    }

    /// - Returns: 0 to 15; `nil` if `character` is not a hexadecimal digit.
    package static func value(of character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
