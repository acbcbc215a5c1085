/// Bytes in a URL (RFC 3986, 2): those that may stand there as themselves, and `%` with two
/// hexadecimal digits for the rest.
package enum PercentEncoding {
    /// - Returns: `nil` if a `%` is not followed by two hexadecimal digits.
    package static func bytes(of text: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(HexText.value(of:)),
                let low = rest.popFirst().flatMap(HexText.value(of:))
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    /// As part of a path: letters, digits, `-._~` and `/` stand for themselves.
    package static func path(_ bytes: [UInt8]) -> String {
        text(of: bytes) { isUnreserved($0) || $0 == UInt8(ascii: "/") }
    }

    /// As a word between spaces: what is visible and neither `%` nor a comma stands for itself.
    package static func word(_ bytes: [UInt8]) -> String {
        text(of: bytes) {
            (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: ",")
        }
    }

    /// As a string of a structured field: what is printable and not `%` stands for itself, a space
    /// too.
    package static func sentence(_ bytes: [UInt8]) -> String {
        text(of: bytes) { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "%") }
    }

    private static func text(
        of bytes: [UInt8], where standsForItself: (UInt8) -> Bool
    ) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            if standsForItself(byte) { text.append(byte) } else { append(byte, to: &text) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Letters, digits and `- . _ ~`: their meaning is the same, escaped or not.
    package static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte)
    }

    /// Appends `%` and the byte's two digits, in capitals.
    package static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append(digit(byte >> 4))
        bytes.append(digit(byte & 0xF))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
