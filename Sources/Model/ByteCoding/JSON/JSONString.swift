/// How a text stands in JSON (RFC 8259, 7), wherever Martlet writes any.
///
/// What could steer a terminal or break a line – control and format characters, separators of
/// lines – is an escape, wherever it comes from. All else is itself.
public enum JSONString {
    /// Appends a text with its quotes. O(bytes).
    public static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        let isDone = text.withUTF8 { plain in
            guard isPlain(plain) else { return false }
            bytes += plain
            return true
        }
        if !isDone {
            for scalar in text.unicodeScalars { append(scalar, to: &bytes) }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in 0..<bytes.count where !isPlain(bytes[index]) { return false }
        return true
    }

    /// A text with its quotes.
    public static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a byte stands for itself, whatever is beside it.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private static func append(_ scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
        switch scalar {
        case "\"": bytes += "\\\"".utf8
        case "\\": bytes += "\\\\".utf8
        case "\n": bytes += "\\n".utf8
        case "\r": bytes += "\\r".utf8
        case "\t": bytes += "\\t".utf8
        default:
            if isEscaped(scalar) {
                for unit in scalar.utf16 { append(escaping: unit, to: &bytes) }
            } else if scalar.isASCII {
                bytes.append(UInt8(truncatingIfNeeded: scalar.value))
            } else {
                bytes += scalar.utf8
            }
        }
    }

    private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else { return scalar.value < 0x20 || scalar.value == 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned: true
        default: false
        }
    }

    private static func append(escaping unit: UInt16, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(UInt8(ascii: "u"))
        for shift: UInt16 in [12, 8, 4, 0] {
            let digit = UInt8(truncatingIfNeeded: unit >> shift & 0xF)
            bytes.append(digit + (digit < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10))
        }
    }
}
