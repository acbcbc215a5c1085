import ByteCoding

/// Bytes in a URL: those that may stand there as themselves, and `%` with two digits for the rest.
package enum PercentText {
    /// - Returns: `nil` if a `%` is not followed by two hexadecimal digits.
    package static func bytes(of text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst(), let low = rest.popFirst(),
                let decoded = HexText.bytes(of: String(decoding: [high, low], as: UTF8.self)),
                decoded.count == 1
            else { return nil }
            bytes += decoded
        }
        return bytes
    }

    /// As part of a path: letters, digits, `-._~` and `/` stand for themselves.
    package static func path(_ bytes: some Collection<UInt8>) -> String {
        text(of: bytes) { isUnreserved($0) || $0 == UInt8(ascii: "/") }
    }

    /// As a word between spaces: what is visible and neither `%` nor a comma stands for itself.
    package static func word(_ bytes: some Collection<UInt8>) -> String {
        text(of: bytes) {
            (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: ",")
        }
    }

    /// As an sf-string: what is printable and not `%` stands for itself, a space too.
    package static func sentence(_ bytes: some Collection<UInt8>) -> String {
        text(of: bytes) { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "%") }
    }

    private static func text(
        of bytes: some Collection<UInt8>, where standsForItself: (UInt8) -> Bool
    ) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        for byte in bytes {
            if standsForItself(byte) {
                text.append(byte)
            } else {
                text.append(UInt8(ascii: "%"))
                text += HexText.text(of: [byte]).uppercased().utf8
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
