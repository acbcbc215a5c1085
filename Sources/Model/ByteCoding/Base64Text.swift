/// Bytes as base64 (RFC 4648, 4), with its padding.
package enum Base64Text {
    private static let digits = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    package static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var offset = 0
        while offset < bytes.count {
            let count = min(3, bytes.count - offset)
            var value = UInt32(bytes[offset]) << 16
            if count > 1 { value |= UInt32(bytes[offset + 1]) << 8 }
            if count > 2 { value |= UInt32(bytes[offset + 2]) }
            text.append(digits[Int(value >> 18)])
            text.append(digits[Int(value >> 12 & 63)])
            text.append(count > 1 ? digits[Int(value >> 6 & 63)] : UInt8(ascii: "="))
            text.append(count > 2 ? digits[Int(value & 63)] : UInt8(ascii: "="))
            offset += 3
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// - Returns: `nil` for anything that ``text(of:)`` would not write.
    package static func bytes(of text: String) -> [UInt8]? {
        let text = Array(text.utf8)
        guard text.count % 4 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        for start in stride(from: 0, to: text.count, by: 4) {
            let quad = text[start..<start + 4]
            let digits = quad.prefix { $0 != UInt8(ascii: "=") }
            let padding = quad.dropFirst(digits.count)
            guard digits.count >= 2, padding.allSatisfy({ $0 == UInt8(ascii: "=") }),
                padding.isEmpty || start + 4 == text.count
            else { return nil }
            var value: UInt32 = 0
            for digit in digits {
                guard let number = number(of: digit) else { return nil }
                value = value << 6 | number
            }
            value <<= UInt32(6 * padding.count)
            let whole = [UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255)]
            guard whole[(digits.count - 1)...].allSatisfy({ $0 == 0 }) else { return nil }
            bytes += whole.prefix(digits.count - 1)
        }
        return bytes
    }

    private static func number(of digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }

    /// The bytes of base64 for URLs (RFC 4648, 5), without padding.
    ///
    /// - Returns: `nil` for anything that there are not exactly these bytes for.
    package static func bytes(ofURLText text: ArraySlice<UInt8>) -> [UInt8]? {
        var usual: [UInt8] = []
        usual.reserveCapacity(text.count + 3)
        for byte in text {
            switch byte {
            case UInt8(ascii: "-"): usual.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): usual.append(UInt8(ascii: "/"))
            case UInt8(ascii: "+"), UInt8(ascii: "/"), UInt8(ascii: "="): return nil
            default: usual.append(byte)
            }
        }
        while usual.count % 4 != 0 { usual.append(UInt8(ascii: "=")) }
        return String(validating: usual, as: UTF8.self).flatMap { bytes(of: $0) }
    }
}
