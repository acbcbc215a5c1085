import EssentialFoundation

/// Bytes made fit for a terminal and for one line: what could steer the one or break the other is
/// written as an escape.
package enum HarmlessText {
    /// `bytes` as UTF-8, with `\n`, `\t`, `\xNN` for control characters and for what is not UTF-8,
    /// and `\\` for the backslash, so that no two texts look alike.
    package static func line(_ bytes: [UInt8]) -> String {
        written(bytes, keeping: "").text
    }

    /// A value as a terminal may have it: as ``line(_:)-([UInt8])``, but with newlines, tabs and
    /// backslashes as they stand.
    ///
    /// - Returns: whether anything was written as an escape, too.
    package static func screen(_ bytes: [UInt8]) -> (text: String, isEscaped: Bool) {
        written(bytes, keeping: "\n\t\\")
    }

    private static func written(
        _ bytes: [UInt8], keeping kept: String
    ) -> (text: String, isEscaped: Bool) {
        var (text, isEscaped) = ("", false)
        var rest = bytes[...]
        while let first = rest.first {
            let found = scalar(at: rest)
            rest = rest.dropFirst(found?.1 ?? 1)
            let plain = found.map { String($0.0) }
            let isKept = found.map { kept.unicodeScalars.contains($0.0) } ?? false
            let shown = isKept ? plain ?? "" : found.map { harmless($0.0) } ?? escape(first)
            isEscaped = isEscaped || shown != plain
            text += shown
        }
        return (text, isEscaped)
    }

    /// As ``line(_:)-([UInt8])``, but with the backslash as it stands: for sentences. What an
    /// argument had that is not UTF-8 is written as an escape, too.
    package static func line(_ sentence: String) -> String {
        sentence.unicodeScalars.reduce(into: "") { text, scalar in
            if let byte = ArgumentBytes.byte(of: scalar) {
                text += escape(byte)
            } else {
                text += scalar == "\\" ? "\\" : harmless(scalar)
            }
        }
    }

    private static func scalar(at bytes: ArraySlice<UInt8>) -> (Unicode.Scalar, Int)? {
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        guard case .valid(let encoded) = parser.parseScalar(from: &iterator) else { return nil }
        return (Unicode.UTF8.decode(encoded), encoded.count)
    }

    private static func harmless(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        case "\\": return "\\\\"
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned:
            return Unicode.UTF8.encode(scalar)?.map(escape).joined() ?? ""
        default: return String(scalar)
        }
    }

    private static func escape(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16)
        return "\\x" + (digits.count == 1 ? "0" : "") + digits
    }
}

/// Keys behind endpoints, in sentences for people.
package enum EndpointKeys {
    private static let mark = "?key="
    private static let digitsShown = 8
    private static let digits = 64

    /// The same sentence, with the first digits of each key alone: enough to tell them apart.
    package static func shortened(_ sentence: String) -> String {
        var parts = sentence.components(separatedBy: mark)
        for index in parts.indices.dropFirst() {
            let key = parts[index].prefix(digits)
            guard key.count == digits, key.allSatisfy(\.isHexDigit) else { continue }
            parts[index] = key.prefix(digitsShown) + "…" + parts[index].dropFirst(digits)
        }
        return parts.joined(separator: mark)
    }
}
