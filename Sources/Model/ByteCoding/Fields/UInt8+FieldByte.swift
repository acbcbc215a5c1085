/// Classes of bytes in HTTP fields: RFC 9110, 5.5 and 5.6.
extension UInt8 {
    static let comma = UInt8(ascii: ",")
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let space = UInt8(ascii: " ")

    /// A space or a tab: whitespace between the parts of a value.
    package var isFieldSpace: Bool { self == .space || self == 0x09 }

    package var isComma: Bool { self == .comma }

    package var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }

    var isLowercaseLetter: Bool { self &- UInt8(ascii: "a") < 26 }

    package var isLetter: Bool { lowercased.isLowercaseLetter }

    /// The byte itself, except for `A` to `Z`.
    package var lowercased: UInt8 {
        self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self
    }

    /// Whether it may occur in a token: a letter, a digit, or one of fifteen marks.
    var isTokenByte: Bool {
        switch self {
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
            UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: isDigit || isLetter
        }
    }

    /// CR, LF and NUL, which are not allowed in a value and dangerous to forward.
    var isForbiddenInField: Bool { self == 0x00 || self == 0x0A || self == 0x0D }
}
