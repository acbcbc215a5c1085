/// Foreign text in a form that is safe for cells: control characters are written as escapes, and
/// each character has a known number of columns.
package struct GlyphRun: Hashable, Sendable {
    package struct Glyph: Hashable, Sendable {
        package var text: String
        /// 1 or 2.
        package var columns: Int
    }

    package private(set) var glyphs: [Glyph] = []

    package init(_ text: String) {
        var marks = 0
        for scalar in text.unicodeScalars {
            guard let columns = GlyphWidth.columns(of: scalar) else {
                append(escapeOf: scalar)
                marks = ConsoleLimits.marksMax
                continue
            }
            if columns > 0 {
                glyphs.append(Glyph(text: String(scalar), columns: columns))
                marks = 0
            } else if marks < ConsoleLimits.marksMax, !glyphs.isEmpty {
                // A combining mark at the beginning would join the character before it on the
                // screen.
                glyphs[glyphs.count - 1].text.unicodeScalars.append(scalar)
                marks += 1
            }
        }
    }

    package var columns: Int { glyphs.reduce(0) { $0 + $1.columns } }

    /// `\n`, `\t`, and `\xNN` for each byte of other characters.
    private mutating func append(escapeOf scalar: Unicode.Scalar) {
        let escape: String
        switch scalar {
        case "\n": escape = "\\n"
        case "\r": escape = "\\r"
        case "\t": escape = "\\t"
        default:
            escape = (Unicode.UTF8.encode(scalar).map(Array.init) ?? []).map { byte in
                "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
        }
        for character in escape { glyphs.append(Glyph(text: String(character), columns: 1)) }
    }
}
